import type { Talk } from "../model.ts";

const call = (tool: string, args: Readonly<Record<string, unknown>>) => ({ tool, args });

export const CART: Talk = {
  question: "The total of the cart is wrong when a voucher is used. Please find out why and mend it.",
  title: "Wrong total with a voucher",
  turns: [
    {
      text: "I look for the place where the total is computed.",
      calls: [
        call("grep", { pattern: "voucher", path: "src", output_mode: "content" }),
        call("read_file", { file_path: "src/cart.ts" }),
      ],
    },
    {
      text: "The voucher is subtracted **before** the shipping is added, so an order below the free-shipping limit pays twice. I change `total` and add a test.",
      calls: [
        call("patch_file", {
          file_path: "src/cart.ts",
          old_str: "  return shipping(items) + sum - voucher;",
          new_str:
            "  const goods = Math.max(0, sum - voucher);\n  return goods + (sum >= FREE_SHIPPING ? 0 : SHIPPING);",
        }),
        call("write_file", {
          file_path: "test/cart.test.ts",
          content:
            'import { total } from "../src/cart.ts";\n\ntest("a voucher never costs shipping", () => {\n  expect(total([{ price: 60 }], 15)).toBe(45);\n});\n',
        }),
        call("bash_exec", { command: "npm test" }),
      ],
    },
    {
      text: "There is no `npm` in this workspace; I check the file by hand.",
      calls: [
        call("bash_exec", { command: "cat src/cart.ts" }),
        call("todos", {
          todos: [
            { content: "Find the place", status: "completed" },
            { content: "Mend the total", status: "completed" },
            { content: "Write down how vouchers work", status: "in_progress" },
          ],
        }),
      ],
    },
    {
      text: [
        "## What was wrong",
        "",
        "`total` decided about the shipping with the sum **after** the voucher. Now it decides with the sum of the goods:",
        "",
        "```ts",
        "const goods = Math.max(0, sum - voucher);",
        "return goods + (sum >= FREE_SHIPPING ? 0 : SHIPPING);",
        "```",
        "",
        "| Cart | Voucher | Before | Now |",
        "| ---: | ---: | ---: | ---: |",
        "| 60 € | 15 € | 49.90 € | 45 € |",
        "| 20 € | – | 24.90 € | 24.90 € |",
        "",
        "- The test is in `test/cart.test.ts`.",
        "- Nothing else uses `shipping`, so I took it out.",
      ].join("\n"),
    },
  ],
};

export const SEASONS: Talk = {
  question: "Plan how the shop shows what grows in which season.",
  title: "Seasons in the shop",
  turns: [
    {
      text: "This touches the data, the list and the page of a plant. I write a plan first.",
      calls: [
        call("update_plan", {
          action: "create",
          name: "Seasons in the shop",
          plan: [
            { step: "Add the months of sowing and harvest to each plant", status: "completed" },
            { step: "Show them on the page of a plant", status: "in_progress" },
            { step: "Let people filter the list by season", status: "pending" },
            { step: "Ask Grace which plants she wants on the first page", status: "pending" },
          ],
        }),
      ],
    },
    { text: "The plan has four steps. The months are in the data already; shall I go on with the page?" },
  ],
};

export const LETTER: Talk = {
  question: "Write the November letter from the notes, and put it where the site finds it.",
  title: "The November letter",
  turns: [
    {
      text: "The notes have three topics: the market on Saturday, the new winter salads, and the closed week. I would write this:",
      calls: [
        call("write_file", {
          file_path: "letters/2026-11.md",
          content: [
            "# November in the garden",
            "",
            "The **market** is on Saturday from nine, at the old station.",
            "",
            "New: winter purslane and corn salad, sown in September.",
            "",
            "We are closed from the 23rd to the 29th.",
            "",
          ].join("\n"),
        }),
      ],
    },
    { text: "The letter is in `letters/2026-11.md`." },
  ],
};

export const IMPORT: Talk = {
  question: "Import the orders of last year from the spreadsheet.",
  title: "Orders of last year",
  turns: [],
};

export const REPORT: Talk = {
  question: "Report which plants are sold out, in three lines.",
  title: "What is sold out",
  turns: [{ text: "Sold out: basil, rosemary.\nBelow ten: sage.\nEverything else is there." }],
};

/** Written so slowly that it is not over while screenshots are taken. */
export const GUIDE: Talk = {
  question: "Explain to a new colleague how an order comes to a box at the door.",
  title: "From an order to a box",
  turns: [{ text: "An order begins in the cart. ".repeat(40) }],
  delayMs: 4_000,
};

export const TALKS = [CART, SEASONS, LETTER, IMPORT, REPORT, GUIDE];
