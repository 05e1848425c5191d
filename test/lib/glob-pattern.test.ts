import { describe, expect, it } from "vitest";
import { compileGlob, compileNameGlob, namesHidden } from "#src/lib/glob-pattern.ts";

describe("a glob", () => {
  it.each([
    ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/a/b.ts", "a.ts", "src/a.tsx"]],
    ["src/**/*.ts", ["src/a.ts", "src/a/b/c.ts"], ["a.ts", "src/a.js"]],
    ["src/**", ["src/a", "src/a/b"], ["src", "a/src/b"]],
    ["**/test/**/x", ["test/x", "a/test/b/c/x"], ["test/x/y", "tests/x"]],
    ["a?c", ["abc", "a-c"], ["ac", "a/c", "abbc"]],
    ["[a-c][!0-9]", ["ax", "c-"], ["a1", "dx", "a"]],
    ["[]]x", ["]x"], ["x"]],
    ["{a,b{c,d}}.ts", ["a.ts", "bc.ts", "bd.ts"], ["b.ts", "abc.ts"]],
    ["a{b", ["a{b"], ["ab"]],
    ["\\*.ts", ["*.ts"], ["a.ts"]],
    ["app/[id]/*.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/id/page.tsx"]],
    ["*", ["a", ".a"], ["a/b"]],
  ])("%s", (pattern, matching, others) => {
    const matches = compileGlob(pattern);
    expect(matching.filter((path) => !matches(path))).toEqual([]);
    expect(others.filter((path) => matches(path))).toEqual([]);
  });

  it("without a slash is about a name at any depth, with one at its beginning about the top", () => {
    expect(compileNameGlob("*.ts")("a/b/c.ts")).toBe(true);
    expect(compileNameGlob("/*.ts")("a/b/c.ts")).toBe(false);
    expect(compileNameGlob("b/*.ts")("a/b/c.ts")).toBe(false);
  });

  it("asks for hidden names only where it has a dot at the beginning of one", () => {
    expect([".github/**", "a/.env", "{.env,a}", "!.x"].every(namesHidden)).toBe(true);
    expect(["*.ts", "a.b/c", "./a", "../a", "**/*"].some(namesHidden)).toBe(false);
  });

  it("takes no more steps than pattern times path, however it is made to hurt", () => {
    const path = `${"a".repeat(200)}/`.repeat(15);
    for (const pattern of [`${"*a".repeat(400)}b`, `${"**/a*/".repeat(100)}b`, `${"a*".repeat(300)}/**/b`]) {
      expect(compileGlob(pattern)(path)).toBe(false);
    }
  });

  it.each(["{a,b}".repeat(7), "a".repeat(1_001)])("refuses what would multiply", (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(/glob/);
  });
});
