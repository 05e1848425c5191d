/** One line of a message, and whether a part of it was pasted. */
export interface EntryLine {
  readonly text: string;
  readonly isPasted: boolean;
}

/** What a person entered: one line, or several. */
export type Entry = readonly EntryLine[];

export function textOfEntry(entry: Entry): string {
  return entry.map(({ text }) => text).join("\n");
}

/** Takes the lines as they come, and returns the entry once it is complete: a line that ends in a backslash goes on. */
export function entries(): (line: EntryLine, isContinued?: boolean) => Entry | undefined {
  let before: EntryLine[] = [];
  return ({ text, isPasted }, isContinued = false) => {
    const goesOn = !isContinued && text.endsWith("\\");
    before.push({ text: goesOn ? text.slice(0, -1) : text, isPasted });
    if (goesOn || isContinued) return undefined;
    const entry = before;
    before = [];
    return entry;
  };
}
