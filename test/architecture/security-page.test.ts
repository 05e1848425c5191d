import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const page = readFileSync("docs/security.md", "utf8");

it("docs/security.md names tests and pages that exist", () => {
  const named = [
    ...Array.from(page.matchAll(/`((?:test|src|\.ci)\/[^`]+)`/gu), ([, file = ""]) => file),
    ...Array.from(page.matchAll(/\]\(([^)#:]+)\)/gu), ([, file = ""]) => path.join("docs", file)),
  ];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
