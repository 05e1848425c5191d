/** A part of a path that has the shape of a token of `lib/random-token.ts`. */
const TOKEN = /(?<=\/)[\w-]{64}(?=\/|$)/gu;

/** The token in the address of a private preview (`routes/previews/preview-path.ts`). */
const PREVIEW_TOKEN = /(?<=\/~)[^/]+/gu;

/** The access token or key that opens a chat socket (`routes/sockets/conversation-in-path.ts`). */
const CHAT_TOKEN = /(?<=\/chat\/ws\/+)[^/]+/giu;

/** A path for the log, with tokens in it replaced. */
export function loggedPath(path: string): string {
  return path.replaceAll(TOKEN, "…").replaceAll(PREVIEW_TOKEN, "…").replaceAll(CHAT_TOKEN, "…");
}
