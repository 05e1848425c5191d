import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from "node:child_process";
import { describe, expect, it } from "vitest";
import { programOutput, sessionCommand } from "#cli/exec/command-line.ts";

/** The bytes of a session on a terminal that does not change them, and the code. */
function ran(words: readonly string[], folder?: string): { output: string; code: unknown } {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  };
  try {
    return { output: execFileSync("bash", ["-c", sessionCommand(words, folder)], options), code: 0 };
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "status" in error)) throw error;
    return { output: String(error.stdout), code: error.status };
  }
}

describe("the command of a session", () => {
  it.each([
    [
      ["printf", "%s|", "a b", "it's", "$HOME", "`id`", "*", "", "a\nb", "-n", "é"],
      "a b|it's|$HOME|`id`|*||a\nb|-n|é|",
      0,
    ],
    [["echo one; echo two >&2; exit 7"], "one\ntwo\n", 7],
    [["no-such-command-here 2>/dev/null"], "", 127],
    [["echo a # a comment"], "a\n", 0],
    [["cat"], "", 0],
    [["test", "-t", "1"], "", 1],
  ])("runs %j", (words, output, code) => {
    // Without a terminal `stty` fails, and nothing is translated either.
    expect(ran(words)).toEqual({ output: `C${output}`, code });
  });

  it("starts in a folder", () => {
    expect(ran(["pwd"], "/usr/lib").output).toBe("C/usr/lib\n");
    expect(ran(["pwd"], "/no/such folder").code).toBe(1);
  });

  it("has a limit", () => {
    expect(() => sessionCommand(["echo", "x".repeat(1000)], undefined)).toThrow("too long");
  });
});

/** What is shown of these pieces of a session's output. */
const shown = (...pieces: string[]) => {
  const take = programOutput();
  const bytes = pieces.map((piece) => take(Buffer.from(piece, "latin1")));
  return Buffer.concat([...bytes, take(new Uint8Array(), true)]).toString("latin1");
};

describe("the output of a program", () => {
  it("has its line ends back from a terminal that translates them, wherever pieces are cut", () => {
    const text = "Cone\r\ntwo\r\n\r\n\u00E9\r";
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(shown(text.slice(0, cut), text.slice(cut))).toBe("one\ntwo\n\n\u00E9\r");
    }
  });
});
