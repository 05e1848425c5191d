import { expect, it } from "vitest";
import { commandLine } from "#src/lib/command-line.ts";
import { visibleLine } from "#src/lib/visible.ts";

it.each([
  [["node", "a.mjs", "--port=3000", "${HOME}/b"], "node a.mjs --port=3000 ${HOME}/b"],
  [["a b", "c"], '"a b" c'],
  [["a   b"], String.raw`"a \u0020\u0020b"`],
  [["", " "], '"" " "'],
  [["a\tb\nc"], String.raw`"a\tb\nc"`],
  [["a\u00A0b\u3000c"], String.raw`"a\u00a0b\u3000c"`],
  [[String.raw`a\u0020b`], String.raw`"a\\u0020b"`],
  [["it's", 'a"b'], String.raw`"it's" "a\"b"`],
])("the command %j is shown so that nobody takes it for another one", (words, shown) => {
  expect(commandLine(words)).toBe(shown);
  // What clients do to a line that they show changes nothing.
  expect(visibleLine(commandLine(words))).toBe(shown);
});
