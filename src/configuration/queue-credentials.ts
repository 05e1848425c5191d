/**
 * Token and signing keys of QStash's development server, which are the same for all the world.
 * Source: upstash/qstash-js, src/dev-server/constants.ts.
 */
const PUBLIC_CREDENTIALS: ReadonlySet<string> = new Set([
  "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=",
  "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
  "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
]);

/** Whether anybody could sign or publish with this: a token or key that QStash publishes for development. */
export function isPublicQueueCredential(credential: string | undefined): boolean {
  return credential !== undefined && PUBLIC_CREDENTIALS.has(credential.trim());
}
