/** What is completed where a person writes: a file of the project after `@`, or a command after `/` at the beginning. */
export interface Completion {
  readonly kind: "file" | "command";
  /** Where it begins, its sign included. */
  readonly from: number;
  /** What was written of it. */
  readonly query: string;
}

/** Longest part of a path that is still looked up. */
const MAX_QUERY = 200;

/** The completion at a place of a text; undefined where nothing is completed. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(?<query>[a-z]*)$/u.exec(before)?.groups?.["query"];
  if (command !== undefined) return { kind: "command", from: 0, query: command };
  const file = /(?:^|[\s(])@(?<query>[^\s@]*)$/u.exec(before)?.groups?.["query"];
  if (file === undefined || file.length > MAX_QUERY) return undefined;
  return { kind: "file", from: caret - file.length - 1, query: file };
}

/** The text with what was chosen in place of what was written of it, and where the caret stands then. */
export function completed(
  text: string,
  { from, query }: Completion,
  chosen: string,
): { text: string; caret: number } {
  const after = text.slice(from + query.length + 1);
  const word = `${chosen}${/^\s/u.test(after) ? "" : " "}`;
  return { text: `${text.slice(0, from)}${word}${after}`, caret: from + word.length };
}
