import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { visible, visibleLine } from "#src/lib/visible.ts";

it("is the same in the service and in the client, which know nothing of each other", () => {
  expect(readFileSync("sdk/src/visible.ts", "utf8")).toBe(readFileSync("src/lib/visible.ts", "utf8"));
});

it("leaves what people write as it is, in all scripts, with emoji", () => {
  const text = "\tnaïve 👩‍💻 🏳️‍🌈 नमस्‍ते می‌خواهم עברית\n日本語 ½ „x“";
  expect(visible(text)).toBe(text);
  expect(visibleLine(` ${text}`)).toBe(text.trim().replaceAll(/\s+/gu, " "));
});
