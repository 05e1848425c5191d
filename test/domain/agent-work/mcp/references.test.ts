import { describe, expect, it } from "vitest";
import { filler, namesIn, withoutReferences } from "#src/domain/agent-work/mcp/references.ts";

const VALUES = new Map<string, string | null>([
  ["HOST", "db.test"],
  ["EMPTY", ""],
  ["MANY", null],
  ["ODD", "$& ${HOST}"],
]);

describe("a reference of .mcp.json", () => {
  it.each([
    ["plain $HOST and $(HOST)", "plain $HOST and $(HOST)"],
    ["http://${HOST}:${PORT:-80}/", "http://db.test:80/"],
    ["${EMPTY:-default}|${HOST:-default}|${NONE:-}", "|db.test|"],
    ["${ODD}", "$& ${HOST}"],
    ["${MANY:-one}", "one"],
    ["${env:HOST} ${1} ${}", "${env:HOST} ${1} ${}"],
  ])("stands for a variable, or its default: %s", (text, filled) => {
    expect(filler(VALUES)(text)).toBe(filled);
  });

  it("without a value says what to do", () => {
    const sentences = ["${NONE}", "${MANY}"].map((text) => {
      try {
        return filler(VALUES)(text);
      } catch (error) {
        return error;
      }
    });
    expect(sentences).toMatchObject([
      {
        code: "invalid_input",
        message:
          "${NONE} has no value: give a container of the project that variable, or write a default, ${NONE:-…}",
      },
      {
        code: "invalid_input",
        message: "${MANY} is not one value: containers of the project have different ones",
      },
    ]);
  });

  it("does not make a command of any length", () => {
    const fill = filler(new Map([["LONG", "x".repeat(32 * 1024)]]));
    expect(fill("${LONG}${LONG}")).toHaveLength(64 * 1024);
    expect(() => fill("${LONG}".repeat(3))).toThrow("longer than 128 KiB");
  });

  it("is known by its name", () => {
    expect(namesIn(["${A}${B:-${C}}", "${A} $D ${E.F}"])).toEqual(["A", "B"]);
    expect(withoutReferences("a${A}b${B:-c}d${e f}")).toBe("abd${e f}");
  });

  it("that never ends is looked for once, or this takes an hour", () => {
    const text = "${A:-".repeat(1_600);
    expect(filler(VALUES)(text)).toBe(text);
  });
});
