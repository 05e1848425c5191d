import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv } from "#src/lib/csv.ts";
import { readCsv } from "#test/support/csv.ts";
import { anyText } from "#test/support/any-text.ts";

describe("a CSV cell", () => {
  it.each([
    ["a, b", '"a, b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", '"\'\r=1"'],
    ['=HYPERLINK("http://evil.example","a")', '"\'=HYPERLINK(""http://evil.example"",""a"")"'],
  ])("of %j is written %j", (text, written) => {
    expect(toCsv([[text]])).toBe(`${written}\r\n`);
  });

  it("of nothing is empty", () => {
    expect(toCsv([[null, undefined, "a"]])).toBe(",,a\r\n");
  });
});

it("whatever is written is read back, and no cell begins as a formula does", () => {
  const row = fc.array(anyText(), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const read = readCsv(toCsv(rows));
      expect(read.flat().filter((cell) => /^[=+\-@\t\r]/u.test(cell))).toEqual([]);
      const harmless = rows.map((cells) => cells.map((cell) => cell.replace(/^(?=[=+\-@\t\r])/u, "'")));
      expect(read).toEqual(harmless);
    }),
  );
});
