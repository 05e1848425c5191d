/** The web shop of a nursery. */
export const SHOP_FILES: Readonly<Record<string, string>> = {
  "README.md":
    "# Garden shop\n\nSells seeds and young plants.\n\n- `src/cart.ts` computes what an order costs\n- `docs/orders.md` says how orders are packed\n",
  "index.html":
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Garden shop</title>\n<link rel="stylesheet" href="styles.css">\n</head>\n<body>\n<h1>Garden shop</h1>\n<p>Seeds and young plants from our own beds.</p>\n<ul>\n<li>Winter purslane, 2.90 €</li>\n<li>Corn salad, 2.40 €</li>\n<li>Garlic, 4.50 €</li>\n</ul>\n</body>\n</html>\n',
  "styles.css":
    "body {\n  max-width: 40rem;\n  margin: 2rem auto;\n  padding: 0 1rem;\n  font: 1.1rem/1.5 Georgia, serif;\n  color: #223;\n}\n\nh1 {\n  color: #19662f;\n}\n",
  "package.json": '{\n  "name": "garden-shop",\n  "scripts": { "test": "vitest run" }\n}\n',
  "src/cart.ts":
    "export interface Item {\n  price: number;\n}\n\nconst SHIPPING = 4.9;\nconst FREE_SHIPPING = 50;\n\n/** What an order costs, in euros. */\nexport function total(items: Item[], voucher = 0): number {\n  const sum = items.reduce((all, { price }) => all + price, 0);\n  return shipping(items) + sum - voucher;\n}\n\nfunction shipping(items: Item[]): number {\n  const sum = items.reduce((all, { price }) => all + price, 0);\n  return sum >= FREE_SHIPPING ? 0 : SHIPPING;\n}\n",
  "src/plants.json":
    '[\n  { "name": "Winter purslane", "price": 2.9, "sown": [8, 9] },\n  { "name": "Corn salad", "price": 2.4, "sown": [8, 9, 10] },\n  { "name": "Garlic", "price": 4.5, "sown": [10, 11] }\n]\n',
  "src/orders/pack.ts": "export const BOXES = { small: 4, large: 12 };\n",
  "src/orders/label.ts":
    "export function label(name: string, street: string): string {\n  return `${name}\\n${street}`;\n}\n",
  "docs/orders.md": "# Orders\n\nOrders of a day are packed the next morning.\n",
};

/** What was changed since the last commit. */
export const SHOP_CHANGES: Readonly<Record<string, string>> = {
  "docs/orders.md":
    "# Orders\n\nOrders until noon are packed the same day, later ones the next morning.\n\nA box has a label with the name and the street.\n",
  "docs/vouchers.md": "# Vouchers\n\nA voucher lowers the price of the goods, never that of the shipping.\n",
};

export const LETTER_FILES: Readonly<Record<string, string>> = {
  "notes/november.md":
    "- market on Saturday, old station\n- purslane and corn salad\n- closed from the 23rd\n",
  "letters/2026-10.md": "# October in the garden\n\nThe pumpkins are in.\n",
};
