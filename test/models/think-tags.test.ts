import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThinkTags } from "#src/models/think-tags.ts";

function part(pieces: readonly string[]) {
  const tags = new ThinkTags();
  const parted = [...pieces.map((piece) => tags.push(piece)), tags.end()];
  return {
    text: parted.map(({ text }) => text).join(""),
    thought: parted.map(({ thought }) => thought).join(""),
  };
}

const FENCE = "```";

/** A text as models write it, what is shown of it, and what was thinking. */
const TEXTS: [written: string, text: string, thought: string][] = [
  ["Hello", "Hello", ""],
  ["<think>a</think>b", "b", "a"],
  ["\n<think>\na\n</think>\n\nb\n", "\nb\n", "\na\n"],
  ["<think></think>b", "b", ""],
  ["<think>a", "", "a"],
  ["<think>a</thin", "", "a</thin"],
  ["One.\n<think>a</think>\nTwo.", "One.\n\nTwo.", "a"],
  ["One.<think>a</think>Two.", "One.Two.", "a"],
  ["<think>a</think>b<think>c</think>d", "bd", "ac"],
  ["The <think> tag opens", "The <think> tag opens", ""],
  ["`<think>` and ``a`<think>``", "`<think>` and ``a`<think>``", ""],
  ["a ` b\n<think>c</think>", "a ` b\n", "c"],
  [
    `${FENCE}xml\n<think>a</think>\n${FENCE}\n<think>b</think>c`,
    `${FENCE}xml\n<think>a</think>\n${FENCE}\nc`,
    "b",
  ],
  ["~~~\n<think>\n~~~\n", "~~~\n<think>\n~~~\n", ""],
  ["1 <t 2 <thinking 3 </think>", "1 <t 2 <thinking 3 </think>", ""],
];

describe("thinking in the text", () => {
  it.each(TEXTS)("of %j is apart", (written, text, thought) => {
    expect(part([written])).toEqual({ text, thought });
  });

  it("is apart wherever the text is split", () => {
    const cuts = fc.array(fc.nat(80), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), cuts, ([written, text, thought], places) => {
        const ends = [0, ...places.map((place) => place % (written.length + 1)), written.length].toSorted(
          (a, b) => a - b,
        );
        const pieces = ends.slice(1).map((end, place) => written.slice(ends[place], end));
        expect(part(pieces)).toEqual({ text, thought });
      }),
    );
  });

  it("is found in time that grows with the text alone", () => {
    const pieces = Array.from({ length: 20_000 }, () => "ab");
    expect(part(["a <think>", ...pieces]).text).toHaveLength(40_009);
  });
});
