import { WorkspaceError } from "@agent-workspace/client";
import { signal } from "@preact/signals";

/** Until when the service asks to wait, of the newest request that it refused for that; 0 before the first. */
export const waitsUntil = signal(0);

/** Keeps what a refusal says of the wait, as the client waits by itself before it repeats a read. */
export function noteWait({ status, headers }: Response): void {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (status === 429 && seconds > 0) waitsUntil.value = Date.now() + seconds * 1_000;
}

interface Read {
  state: { error: unknown; errorUpdatedAt: number };
}

/** Milliseconds before a read that was refused may be asked again, as the service says. */
function pauseOf({ state: { error, errorUpdatedAt } }: Read): number {
  const seconds = error instanceof WorkspaceError ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? 0 : Math.max(0, errorUpdatedAt + seconds * 1_000 - Date.now());
}

export const mayAskAgain = (read: Read): boolean => pauseOf(read) === 0;

/** When something is read again: after `ms`, but no sooner than the service says; never for false. */
export function paced(read: Read, ms: number | false): number | false {
  return ms !== false && Math.max(ms, pauseOf(read));
}
