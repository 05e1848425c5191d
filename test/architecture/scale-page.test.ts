import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readPage } from "../../bench/scale/page.ts";

const { is, shouldBe } = readPage();

it("docs/scale.md shows what its inputs compute: otherwise run npm run bench:scale", () => {
  expect(is).toBe(shouldBe);
});

it("docs/scale.md names files that exist", () => {
  const named = [
    ...Array.from(
      is.matchAll(/`((?:src|bench|test|durable-objects|functions)\/[^`]+)`/gu),
      ([, file = ""]) => file,
    ),
    ...Array.from(is.matchAll(/\]\(([^)#:]+)\)/gu), ([, file = ""]) => path.join("docs", file)),
  ];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
