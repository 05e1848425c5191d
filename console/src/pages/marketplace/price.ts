import type { Item } from "./reads.ts";

/** What an item costs, in words. */
export function priceOf({ pricing_type, price }: Pick<Item, "pricing_type" | "price">): string {
  if (pricing_type === "free") return "free";
  const dollars = price.toLocaleString(undefined, { style: "currency", currency: "USD" });
  return pricing_type === "monthly" ? `${dollars} a month` : dollars;
}
