import type { RE2JS } from "re2js";
import type { Pace } from "#src/domain/workspaces/files/index.ts";

/** Most steps before a search yields, at worst: characters times instructions. */
const MAX_STEPS = 10_000_000;

export interface SearchFor {
  regex: RE2JS;
  /** Number of the pattern's instructions. */
  size: number;
  multiline: boolean;
}

export interface TextMatches {
  lines: readonly string[];
  /** Indexes of the lines that match, or that a match covers, ascending; at most `limit` plus what one match covers. */
  matched: number[];
  /** Number of lines that match; in a search across lines, of matches. */
  count: number;
  /** Whether a part was too long to be searched. */
  isPartial: boolean;
}

/** Finds the lines of a text that match, up to `limit`. */
export async function searchText(
  text: string,
  search: SearchFor,
  pace: Pace,
  limit: number,
): Promise<TextMatches> {
  const plain = text.replaceAll("\r\n", "\n");
  const lines = (plain.endsWith("\n") ? plain.slice(0, -1) : plain).split("\n");
  if (plain === "") return { lines: [], matched: [], count: 0, isPartial: false };
  const found = search.multiline
    ? await acrossLines(plain, search, pace, limit)
    : await lineByLine(lines, search, pace, limit);
  return { lines, ...found };
}

type Found = Omit<TextMatches, "lines">;

async function lineByLine(
  lines: readonly string[],
  { regex, size }: SearchFor,
  pace: Pace,
  limit: number,
): Promise<Found> {
  const longest = Math.floor(MAX_STEPS / size);
  const matched: number[] = [];
  let isPartial = false;
  for (const [index, line] of lines.entries()) {
    if (matched.length >= limit) break;
    if (pace.isDue((Math.min(line.length, longest) + 1) * size)) {
      await pace.turn();
      if (pace.isOver) break;
    }
    isPartial ||= line.length > longest;
    if (regex.test(line.length > longest ? line.slice(0, longest) : line)) matched.push(index);
  }
  return { matched, count: matched.length, isPartial };
}

async function acrossLines(
  text: string,
  { regex, size }: SearchFor,
  pace: Pace,
  limit: number,
): Promise<Found> {
  const longest = Math.floor(MAX_STEPS / size);
  const searched = text.slice(0, longest);
  const matcher = regex.matcher(searched);
  const matched = new Set<number>();
  let [count, line, at] = [0, 0, 0];
  const lineOf = (position: number) => {
    for (; at < position; at += 1) if (searched.charAt(at) === "\n") line += 1;
    return line;
  };
  // The search for each match may read up to the end of the text.
  for (let from = 0; matched.size < limit;) {
    if (pace.isDue((searched.length - from + 1) * size)) {
      await pace.turn();
      if (pace.isOver) break;
    }
    if (!matcher.find()) break;
    const [start, end] = [matcher.start(), matcher.end()];
    // An empty match after the last line break is on no line.
    if (start === text.length && text.endsWith("\n")) break;
    count += 1;
    const last = end > start ? end - 1 : end;
    for (let each = lineOf(start), to = lineOf(last); each <= to; each += 1) matched.add(each);
    from = end;
  }
  return { matched: [...matched], count, isPartial: text.length > longest };
}
