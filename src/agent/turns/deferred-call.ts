import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import type { Deferred } from "../tools/deferred.ts";
import { WaitingError } from "./gate.ts";
import { shownWords } from "./shown-progress.ts";
import type { TurnContext } from "./turn-context.ts";
import type { DeferredCall } from "./turn-records.ts";

/** How long a server may go on with a call, however long it keeps it. */
const LONGEST_MS = 3_600_000;
/** Shortest and longest pause between two questions about a call. */
const PAUSE_MS = { least: 1_000, most: 60_000 };
/**
 * A pause is at least this part of the time that the call has taken, so that a server is asked some three hundred times in an hour at
 * most; where the server names no pause, it grows faster.
 */
const PART_OF_AGE = { least: 1 / 60, unnamed: 1 / 4 };

/** What is shown of a call whose server says nothing. */
const SILENT = "Still running on the server";

type Shown = Parameters<typeof taskEvents.toolProgress>[0];

/** A call that its server has just taken. */
export function newDeferred(
  name: string,
  { server, tool, task }: Deferred,
  { told, rounds }: Pick<DeferredCall, "told" | "rounds">,
  now = Date.now(),
): DeferredCall {
  const { taskId, pollMs, ttlMs } = task;
  const taken = { name, server, taskId, tool, since: now, failures: 0, shown: "", rounds, told: [...told] };
  return { ...taken, ...timesOf({ since: now, pollMs, ttlMs }, now) };
}

/** When a call's server is asked again, and when the call is given up. Foreign numbers, which may be missing. */
export function timesOf(
  { since, pollMs, ttlMs }: { since: number; pollMs: number | undefined; ttlMs: number | undefined },
  now: number,
): Pick<DeferredCall, "dueAt" | "endsAt"> {
  const age = now - since;
  const least = Math.max(PAUSE_MS.least, age * PART_OF_AGE.least);
  const pause = Math.ceil(Math.min(Math.max(pollMs ?? age * PART_OF_AGE.unnamed, least), PAUSE_MS.most));
  const kept = ttlMs !== undefined && ttlMs > 0 ? ttlMs : LONGEST_MS;
  const endsAt = since + Math.min(Math.max(kept, PAUSE_MS.least), LONGEST_MS);
  return { dueAt: Math.min(now + pause, Math.max(endsAt, now + PAUSE_MS.least)), endsAt };
}

/** Pauses after so many failures in a row, in milliseconds: 2 seconds, 4, 8 and so on. */
export const pauseAfter = (failures: number): number => Math.min(1_000 * 2 ** failures, PAUSE_MS.most);

/** The call with what its server says of it, which is shown beside it where it is new; what was said before stays where it says nothing. */
export async function shownOf(
  { secrets, log: { writer } }: TurnContext,
  call: Shown,
  deferred: DeferredCall,
  message = deferred.shown === "" ? SILENT : "",
): Promise<DeferredCall> {
  // Without the secrets nothing is shown; the result will say why they cannot be read.
  const known = await secrets.known().catch(() => undefined);
  const shown = known ? shownWords(message, known) : "";
  if (shown === "" || shown === deferred.shown) return deferred;
  const progress = Math.round((Date.now() - deferred.since) / 1_000);
  writer.add({ events: [taskEvents.toolProgress(call, { message: shown, progress, total: undefined })] });
  return { ...deferred, shown };
}

/** Records what is known of a call. Returns the wait until its server is asked again. */
export async function waitFor(
  { log: { records, writer } }: TurnContext,
  call: { id: string },
  deferred: DeferredCall,
): Promise<WaitingError> {
  writer.add({ records: [records.recordDeferred(call.id, deferred)] });
  await writer.flush();
  return new WaitingError(deferred.dueAt, { isAsking: false });
}
