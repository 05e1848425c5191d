import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit, type Edit } from "#src/agent/tools/edits/apply-edit.ts";
import { editFile } from "#src/agent/tools/edits/edit-file.ts";
import { distanceWithin } from "#src/agent/tools/edits/levenshtein.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

const edit = (oldText: string, newText: string, rest: Partial<Edit> = {}): Edit => ({
  oldText,
  newText,
  expectedOccurrence: 1,
  allowMultiple: false,
  ...rest,
});
const lines = (...all: string[]) => `${all.join("\n")}\n`;

/** Few letters, so that texts repeat and overlap. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "$&"), minLength, maxLength });

/** Places where a text occurs, overlapping ones included. */
function occurrences(text: string, wanted: string): number {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(wanted, at))
    .length;
}

describe("an exact edit", () => {
  it("is String.replace when the text is there once", () => {
    fc.assert(
      fc.property(
        letters(0, 20),
        letters(1, 4),
        letters(0, 20),
        letters(0, 6),
        (before, old, after, next) => {
          const text = before + old + after;
          fc.pre(old !== next && occurrences(text, old) === 1);
          expect(applyEdit(text, edit(old, next))).toEqual({
            ok: true,
            text: text.replace(old, () => next),
            strategy: "exact",
            occurrences: 1,
          });
        },
      ),
    );
  });

  it("is String.replaceAll when several are allowed", () => {
    fc.assert(
      fc.property(letters(1, 30), letters(1, 3), letters(0, 6), (text, old, next) => {
        fc.pre(old !== next && text.includes(old));
        expect(applyEdit(text, edit(old, next, { allowMultiple: true }))).toMatchObject({
          ok: true,
          text: text.replaceAll(old, () => next),
        });
      }),
    );
  });

  it("is refused when the text is there more than once, overlaps included", () => {
    fc.assert(
      fc.property(letters(1, 30), letters(1, 3), letters(0, 6), (text, old, next) => {
        fc.pre(occurrences(text, old) > 1);
        expect(applyEdit(text, edit(old, next)).ok).toBe(false);
      }),
    );
    expect(applyEdit("aaa", edit("aa", "b")).ok).toBe(false);
  });

  it("changes as many places as are expected, and refuses any other number", () => {
    expect(applyEdit("x-x-x", edit("x", "y", { expectedOccurrence: 3 }))).toMatchObject({ text: "y-y-y" });
    expect(applyEdit("x-x-x", edit("x", "y", { expectedOccurrence: 2 }))).toMatchObject({
      ok: false,
      error: "old_str is in the file 3 times (exact match), expected 2.",
    });
  });

  it("is refused when it would make the file too large", () => {
    const huge = applyEdit("x".repeat(50_000), edit("x", "y".repeat(1_000), { allowMultiple: true }));
    expect(huge).toMatchObject({ ok: false, error: expect.stringContaining("larger than") });
  });
});

describe("an edit whose white space differs", () => {
  it("is made on the same lines, as deep as the file has them", () => {
    const text = lines("class A {", "    run() {", "        return  1;", "    }", "}");
    const outcome = applyEdit(text, edit("run() {\n  return 1;\n}", "run() {\n    return 2;\n}"));
    expect(outcome).toEqual({
      ok: true,
      text: lines("class A {", "    run() {", "        return 2;", "    }", "}"),
      strategy: "flexible",
      occurrences: 1,
    });
  });

  it("takes the line break with it when the old text ends in one", () => {
    expect(applyEdit("a\n  b\nc\n", edit("   b\n", ""))).toMatchObject({ text: "a\nc\n" });
  });

  it.each([
    ["a\nb", "b\n", "c\n", "a\nc"],
    ["a\nb", "b\n", "c", "a\nc"],
    ["a\nb", "b\n", "", "a\n"],
    ["a\nb", "b\n", "c\n\n", "a\nc\n"],
    ["a\r\nb", "a\nb\n", "a\nc\n", "a\r\nc"],
    ["a\nb\n", "  b\n", "c\n", "a\nc\n"],
  ])("leaves the end of %j as it is", (text, old, next, expected) => {
    expect(applyEdit(text, edit(old, next))).toMatchObject({ ok: true, text: expected });
  });

  it("keeps CRLF", () => {
    const outcome = applyEdit("if (a)\r\n\tb();\r\n", edit("if  (a)\n\tb();\n", "if (a)\n\tc();\n"));
    expect(outcome).toMatchObject({ text: "if (a)\r\n\tc();\r\n", strategy: "flexible" });
  });

  it("is refused when two places fit", () => {
    const text = lines("  a = 1", "b", "    a = 1");
    expect(applyEdit(text, edit("a  =  1", "a = 2")).ok).toBe(false);
  });

  it("matches whole lines only", () => {
    expect(applyEdit("let a  = 1; // one\n", edit("let a = 1;", "let a = 2;")).ok).toBe(false);
  });
});

describe("an edit of nearly the same text", () => {
  const text = lines("function sum(first, second) {", "  return first + second;", "}", "", "sum(1, 2);");

  it("is made where the text is unmistakable", () => {
    const outcome = applyEdit(
      text,
      edit("function sum(frist, second) {\n  return first + second;\n}", "const sum = add;"),
    );
    expect(outcome).toMatchObject({
      ok: true,
      text: lines("const sum = add;", "", "sum(1, 2);"),
      strategy: "fuzzy",
    });
  });

  it("leaves the end of a file without a line break as it is", () => {
    const outcome = applyEdit(text.trimEnd(), edit("  return frist + second;\n}\n\nsum(1, 2);\n", "}\n"));
    expect(outcome).toMatchObject({ strategy: "fuzzy", text: "function sum(first, second) {\n}" });
  });

  it("is refused when two places are as near as each other", () => {
    const twice = lines("call(one, value);", "call(two, value);");
    expect(applyEdit(twice, edit("call(xxx, value);", "none();")).ok).toBe(false);
    const near = lines("const total = aa;", "const total = bb;");
    expect(applyEdit(near, edit("const total = ab;", "none();"))).toMatchObject({
      ok: false,
      error: expect.stringContaining("2 times (fuzzy match)"),
    });
  });

  it("is refused for fewer than ten characters, and beyond a tenth of them", () => {
    expect(applyEdit("abcdefgh\n", edit("abcdefgx", "")).ok).toBe(false);
    expect(applyEdit("abcdefghij\n", edit("abcdefghxx", "")).ok).toBe(false);
    expect(applyEdit("abcdefghij\n", edit("abcdefghix", "")).ok).toBe(true);
  });

  it("is not tried when several places are asked for", () => {
    expect(applyEdit("abcdefghij\n", edit("abcdefghix", "", { allowMultiple: true })).ok).toBe(false);
    expect(applyEdit("abcdefghij\n", edit("abcdefghix", "", { expectedOccurrence: 2 })).ok).toBe(false);
  });

  it("gives up on a search that would take too long", () => {
    const similar = Array.from({ length: 4_000 }, (_, i) => `${"ab".repeat(500)}${i}`).join("\n");
    expect(applyEdit(similar, edit(`${"ba".repeat(500)}!`, "x")).ok).toBe(false);
  });

  it("finds the one line that was changed by a typing error, and changes no other", () => {
    const line = fc.stringMatching(/^[a-z]{20,40}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.nat(19),
        (all, which, at) => {
          const index = which % all.length;
          const target = all[index] ?? "";
          const mistyped = `${target.slice(0, at)}#${target.slice(at + 1)}`;
          const others = all.filter((each) => each !== target);
          fc.pre(others.every((each) => distanceWithin(mistyped, each, 4, { steps: 10_000 }) === undefined));
          const outcome = applyEdit(lines(...all), edit(mistyped, "CHANGED"));
          expect(outcome).toMatchObject({
            ok: true,
            text: lines(...all.with(index, "CHANGED")),
            strategy: "fuzzy",
          });
        },
      ),
    );
  });
});

describe("what no edit may do", () => {
  it.each(["...", "  // ...", "# ...", "a\n...\nb", "/* ... */", "…", "a\r\n...\r\nb"])(
    "put a line that stands for left-out code: %j",
    (newText) => {
      expect(applyEdit("a\nb\n", edit("a", newText)).ok).toBe(false);
    },
  );

  it("but a line of dots that is there may stay, and dots in a line are code", () => {
    expect(applyEdit("def f():\n  ...\n", edit("def f():\n  ...", "def g():\n  ..."))).toMatchObject({
      ok: true,
    });
    expect(applyEdit("f(a)", edit("f(a)", "f(...a)"))).toMatchObject({ text: "f(...a)" });
  });

  it("change nothing", () => {
    expect(applyEdit("a", edit("a", "a")).ok).toBe(false);
  });

  it("touch a text that the old text is nowhere near", () => {
    expect(applyEdit(lines("alpha", "beta"), edit("nothing of the kind", "x"))).toMatchObject({
      ok: false,
      error: "old_str is not in the file.",
    });
  });
});

describe("several edits of a file", () => {
  it("are all made or none", async () => {
    const one = fc.record({ old: letters(1, 3), next: letters(0, 3), allowMultiple: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        letters(1, 20),
        fc.array(one, { minLength: 1, maxLength: 4 }),
        async (text, wanted) => {
          const edits = wanted.map(({ old, next, allowMultiple }) => edit(old, next, { allowMultiple }));
          const expected = edits.reduce<string | undefined>((now, each) => {
            const outcome = now === undefined ? undefined : applyEdit(now, each);
            return outcome?.ok ? outcome.text : undefined;
          }, text);
          const runtime = new MemoryRuntime({ a: text });
          const edited = await editFile(runtime, "a", edits);
          expect(edited.ok).toBe(expected !== undefined);
          expect(runtime.text("a")).toBe(expected ?? text);
          expect(runtime.writes).toHaveLength(expected === undefined ? 0 : 1);
        },
      ),
    );
  });

  it("make a change too large for a diff without one", async () => {
    const runtime = new MemoryRuntime({ a: Array.from({ length: 3_000 }, (_, i) => `a${i}\n`).join("") });
    const edited = await editFile(runtime, "a", [edit("a", "b", { allowMultiple: true })]);
    expect(edited).toMatchObject({ ok: true, diff: undefined });
    expect(runtime.text("a")).toMatch(/^b0\n/);
  });
});
