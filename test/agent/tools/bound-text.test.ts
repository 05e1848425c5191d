import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headAndTail } from "#src/agent/tools/bound-text.ts";
import { anyText } from "#test/support/any-text.ts";

const NOTE = /\n\[\.\.\. (\d+) characters cut \.\.\.\]\n/;
/** Texts of any 16-bit units: halves of surrogate pairs and NULs included. */
const anyUnits = fc.oneof(
  anyText({ maxLength: 400, size: "max" }),
  fc
    .array(fc.constantFrom("a", "\n", "\uD83D", "\uDE00", "😀", "\0"), { maxLength: 300, size: "max" })
    .map((all) => all.join("")),
);

describe("keeping head and tail of a text", () => {
  it("leaves a short text as it is", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), (text) => {
        expect(headAndTail(text, 50)).toBe(text.replaceAll("\0", "\uFFFD"));
      }),
    );
  });

  it("never exceeds what is kept by more than the note, and can be stored, whatever went in", () => {
    fc.assert(
      fc.property(anyUnits, fc.nat(300), (text, kept) => {
        const bounded = headAndTail(text, kept);
        expect(bounded.length).toBeLessThanOrEqual(kept + 48);
        expect(bounded.isWellFormed()).toBe(true);
        expect(bounded).not.toContain("\0");
      }),
    );
  });

  it("keeps the start and the end, and counts exactly what is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 120, maxLength: 400 }), (text) => {
        fc.pre(!NOTE.test(text));
        const [head = "", cut, tail = ""] = headAndTail(text, 100).split(NOTE);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length).toBeGreaterThanOrEqual(49);
        expect(tail.length).toBeGreaterThanOrEqual(49);
        expect(head.length + tail.length + Number(cut)).toBe(text.length);
      }),
    );
  });

  it("does not split a character at the cut", () => {
    expect(headAndTail(`${"a".repeat(4)}😀${"b".repeat(20)}😀${"c".repeat(4)}`, 10)).toBe(
      "aaaa\n[... 24 characters cut ...]\ncccc",
    );
  });
});
