import { nameOf } from "./paths.ts";

/**
 * The paths that have the letters of a text in its order, at most `limit`, the best first: those with the text in the file's
 * name, then in the path, then with its letters apart; among these the shortest.
 */
export function ranked(paths: readonly string[], text: string, limit = 30): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return paths.slice(0, limit);
  const found = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  found.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length);
  return found.slice(0, limit).map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = nameOf(path);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at === -1) return undefined;
  }
  return 3;
}
