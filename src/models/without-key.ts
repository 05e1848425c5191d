/** Pieces of a key that are at least this long are removed; vendors themselves show fewer characters of a key. */
const PIECE = 8;

/**
 * Returns a text without a key, the pieces of it, and the same of its base64: vendors quote a key that they refuse,
 * gateways a whole header.
 */
export function withoutKey(text: string, key: string): string {
  if (key === "") return text;
  const pieces = new Set([key, encodeURIComponent(key), ...encodingsOf(key)].flatMap(piecesOf));
  const rest = text.replaceAll(key, "***");
  let shown = "";
  let place = 0;
  while (place < rest.length) {
    const end = endOfKey(rest, place, pieces);
    shown += end > place ? "***" : rest.charAt(place);
    place = Math.max(end, place + 1);
  }
  return shown;
}

/** Where the pieces end that begin at a place; the place itself if none begins there. */
function endOfKey(text: string, place: number, pieces: ReadonlySet<string>): number {
  let end = place;
  for (let start = place; pieces.has(text.slice(start, start + PIECE)); start += 1) end = start + PIECE;
  return end;
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - PIECE + 1) }, (_, start) =>
    text.slice(start, start + PIECE),
  );
}

/**
 * The base64 of a key wherever it stands in what was encoded, such as `user:key`: without the first characters, which
 * depend on what precedes, and the last ones.
 */
function encodingsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  return [0, 1, 2].flatMap((skipped) => {
    const rest = bytes.subarray(skipped);
    const whole = rest.subarray(0, rest.length - (rest.length % 3)).toString("base64");
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
