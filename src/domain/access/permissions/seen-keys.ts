import type { KeyCaller } from "./caller.ts";

/** How long a sign-in is kept. A key that is used goes on being read, and has its last use noted, about this often. */
const KEPT_MS = 60_000;
/** Most keys of one isolate. */
const MOST = 1_000;

interface Seen {
  caller: KeyCaller;
  until: number;
}

/** By the hash of the key, oldest first. */
const seen = new Map<string, Seen>();

/** Keeps what a key was when it signed in; `undefined` for a key that was refused. */
export function keepKey(keyHash: string, caller: KeyCaller | undefined): void {
  seen.delete(keyHash);
  if (!caller) return;
  seen.set(keyHash, { caller, until: Date.now() + KEPT_MS });
  for (const [oldest] of seen) {
    if (seen.size <= MOST) break;
    seen.delete(oldest);
  }
}

/**
 * The caller of a key that signed in here within the last minute. It may have lost everything since: whoever acts for it checks
 * `keyThatMay` in the same statement.
 */
export function seenKey(keyHash: string): KeyCaller | undefined {
  const found = seen.get(keyHash);
  return found && found.until > Date.now() ? found.caller : undefined;
}
