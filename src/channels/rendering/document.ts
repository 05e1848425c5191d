// What an agent's Markdown says, as a flat list of blocks: the form in which a text is split and from which every platform writes.

export type Style = "bold" | "italic" | "underline" | "strike" | "code";

export interface Link {
  url: string;
  /** Whether the label is the address itself, so that it needs no markup. */
  isBare: boolean;
}

/** Text of one look. Runs of one link share the `Link` object. */
export interface Run {
  text: string;
  /** From the outermost to the innermost. */
  styles: readonly Style[];
  link: Link | undefined;
}

export interface Block {
  kind: "text" | "heading" | "code";
  /** Of code, one run without styles. Lines end with `\n`. */
  runs: readonly Run[];
  language: string | undefined;
  /** Blocks of one quotation share the number. */
  quote: number | undefined;
  /** Before the first line: indentation, and the bullet of a list item. */
  marker: string;
  /** Before the other lines. */
  indent: string;
  /** Between this block and the one before. */
  gap: "\n" | "\n\n";
}

export function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}

/** Runs that follow each other and are of one link, or of none. */
export function groupsOf(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.link === run.link) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** The block from one offset of its text to another. What is left of a cut block has no bullet of its own. */
export function sliceBlock(block: Block, start: number, end: number): Block {
  const runs: Run[] = [];
  let offset = 0;
  for (const run of block.runs) {
    const text = run.text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    if (text !== "") runs.push({ ...run, text });
    offset += run.text.length;
  }
  return { ...block, runs, marker: start === 0 ? block.marker : block.indent };
}

/** Whether a reader sees anything: platforms refuse a message of white space, controls and fillers. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{M}\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]/u.test(text);
}
