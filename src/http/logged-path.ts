/** A part of a path that has the shape of a token of `lib/random-token.ts`. */
const TOKEN = /(?<=\/)[\w-]{64}(?=\/|$)/gu;

/** A path as it may be logged: some links carry their token in it. */
export function loggedPath(path: string): string {
  return path.replaceAll(TOKEN, "…");
}
