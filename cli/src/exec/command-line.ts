import { UsageError } from "../errors.ts";

/** Longest command that a session takes, in characters. */
const MAX_COMMAND = 1000;

/** First byte of the output: whether the terminal passes bytes on as they are, or ends lines by CR LF. */
const RAW = "R";
const COOKED = "C";

/**
 * The command of a shell session in which a program runs as if it had no terminal: it reads nothing, and what it writes goes
 * through a pipe. One word is a line for the shell, several are a program and its arguments.
 */
export function sessionCommand(words: readonly string[], folder: string | undefined): string {
  const [line = ""] = words;
  const called = words.length === 1 ? line : words.map(quoted).join(" ");
  const inFolder = folder === undefined ? called : `cd ${quoted(folder)} || exit 1\n${called}`;
  // The terminal's own translations are switched off where there is a real one; an emulated one has no `stty`.
  const script = [
    `if stty raw -echo 2>/dev/null; then printf ${RAW}; else printf ${COOKED}; fi`,
    // In a group of its own, so that an `exit` of the line ends the line alone. A comment ends with its line.
    `( ${inFolder}\n) </dev/null 2>&1 | cat`,
    `exit \${PIPESTATUS[0]}`,
  ].join("\n");
  const command = `bash -c ${quoted(script)}`;
  if (command.length > MAX_COMMAND) {
    throw new UsageError(
      "The command is too long",
      "Write it into a script of the project, and call that: `workspace files push`.",
    );
  }
  return command;
}

/** A word that the shell takes as it is. */
function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The program's own output, from the pieces of the session's. */
export function programOutput(): (piece: Uint8Array, isLast?: boolean) => Uint8Array {
  let mode: string | undefined;
  let held = "";
  return (piece, isLast = false) => {
    let bytes = piece;
    if (mode === undefined && bytes.length > 0) {
      mode = String.fromCharCode(bytes[0] ?? 0);
      bytes = bytes.subarray(1);
    }
    if (mode !== COOKED) return bytes;
    // One character for each byte, so that no character of several bytes is cut.
    const text = held + Buffer.from(bytes).toString("latin1");
    held = !isLast && text.endsWith("\r") ? "\r" : "";
    return Buffer.from(text.slice(0, text.length - held.length).replaceAll("\r\n", "\n"), "latin1");
  };
}
