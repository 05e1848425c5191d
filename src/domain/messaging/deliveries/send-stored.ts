import type { Platform } from "#src/channels/channel.ts";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { newId } from "#src/lib/ids.ts";
import { within } from "#src/lib/time-limit.ts";
import { executeJob, type Later, type Storing } from "#src/work/execute.ts";
import { messageOf } from "#src/work/job.ts";
import { deliverMessage, type OutboxDeps } from "./deliver-message.ts";
import { filesBehind, streamEntry, type OutboxMessage } from "./outbox-message.ts";
import { insertMessages, messageOfOccasion, messagesOfOccasion } from "./queries/outbox.ts";

/**
 * Stores a message in the outbox, and behind it files of the project, which `findFiles` has found, and sends them. A repetition
 * of its occasion stores none, and goes on with what a crash has left unsent.
 */
export async function sendStored(
  deps: OutboxDeps,
  message: OutboxMessage,
  files: readonly string[] = [],
): Promise<void> {
  await sendInOrder(deps, message, await store(deps, message, files));
}

/** Pauses between two looks at a message that is being sent. */
const LOOK_MS = 400;

/**
 * As `sendStored`, and waits for the outcome, at most for `patienceMs`. A repetition of its occasion waits for the outcome of
 * the first. Returns the message, which is pending when it is not settled yet.
 */
export async function sendAwaited(
  deps: OutboxDeps,
  message: OutboxMessage,
  { files, patienceMs }: { files: readonly string[]; patienceMs: number },
): Promise<ChannelMessage> {
  const until = Date.now() + patienceMs;
  const ids = await store(deps, message, files);
  await within(patienceMs, sendInOrder(deps, message, ids));
  return outcomeOf(deps, message.occasion, until);
}

/**
 * Goes on with what an earlier program has stored with an occasion for a task, and waits as `sendAwaited` does. Returns the
 * message, and its platform; undefined if none was stored.
 */
export async function resumeAwaited(
  deps: OutboxDeps,
  { taskId, occasion }: { taskId: string; occasion: string },
  patienceMs: number,
): Promise<{ message: ChannelMessage; platform: Platform } | undefined> {
  const until = Date.now() + patienceMs;
  const stored = await messagesOfOccasion(deps.db, taskId, occasion);
  const [first] = stored;
  if (!first) return undefined;
  const ids = stored.filter(({ status }) => status === "pending").map(({ id }) => id);
  await within(patienceMs, sendEach(deps, ids));
  return { message: await outcomeOf(deps, occasion, until), platform: first.platform };
}

async function outcomeOf({ db }: OutboxDeps, occasion: string, until: number): Promise<ChannelMessage> {
  for (;;) {
    const stored = await messageOfOccasion(db, occasion);
    if (!stored) throw new Error("The message is not in the outbox");
    const left = until - Date.now();
    const isLater = stored.message.error !== null && (stored.secondsUntilDue ?? 0) * 1_000 > left;
    if (stored.message.status !== "pending" || isLater || left <= 0) return stored.message;
    await pause(Math.min(LOOK_MS, left));
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the ids of what is not sent yet. */
async function store(
  { db }: OutboxDeps,
  message: OutboxMessage,
  files: readonly string[],
): Promise<string[]> {
  const behind = message.taskId === null ? [] : filesBehind(message, [...new Set(files)]);
  const stored = await insertMessages(db, [message, ...behind]);
  return stored.flatMap(({ id, status }) => (status === "pending" ? [id] : []));
}

/** Redis may take so long after all was sent. */
const NOTICE_MS = 1_000;

/** A message and the ids of what is stored of it: its own, and those of the files behind it. */
interface Stored {
  message: OutboxMessage;
  ids: readonly string[];
  /** Whether the project was asked for files, which may take long. */
  wasAsked: boolean;
}

/**
 * Stores a message under an id and sends it, in one round trip less than `sendStored`, and returns what the statement returned.
 * `behind` is given that before the message is sent, stores the files behind it, and names all; those of an earlier call, if
 * that has stored the message. Throws if the message cannot be stored, or `behind` throws: it is sent by a later attempt then.
 */
export async function sendAsStored<T>(
  deps: OutboxDeps,
  id: string,
  given: { statement: Storing<T>["statement"]; behind: (result: T) => Promise<Stored | undefined> },
): Promise<T | undefined> {
  const done: { result?: T; stored?: Stored | undefined; announced?: Promise<void> } = {};
  const storing: Storing<T> = {
    statement: given.statement,
    stored: async (result) => {
      done.stored = await given.behind(result);
      done.result = result;
      const [first, ...artifactIds] = done.stored?.ids ?? [];
      if (done.stored && first === id)
        done.announced = announce(deps, done.stored.message, { id, artifactIds });
      return { readsAgain: done.stored?.wasAsked === true };
    },
  };
  await sendNow(deps, id, { storing, isStored: () => done.result !== undefined });
  const { result, stored, announced } = done;
  if (stored && !announced) await sendInOrder(deps, stored.message, stored.ids);
  if (stored && announced) {
    await sendEach(deps, stored.ids.slice(1));
    await within(NOTICE_MS, announced);
  }
  return result;
}

/**
 * Sends a message and the files behind it, which are stored, and says so in Redis meanwhile. Never throws: what is not sent
 * now is sent by a later attempt.
 */
async function sendInOrder(
  deps: OutboxDeps,
  message: OutboxMessage,
  [id, ...artifactIds]: readonly string[],
): Promise<void> {
  if (id === undefined) return;
  const announced = announce(deps, message, { id, artifactIds });
  await sendEach(deps, [id, ...artifactIds]);
  await within(NOTICE_MS, announced);
}

/** Sends stored messages one after the other. Never throws. */
async function sendEach(deps: OutboxDeps, ids: readonly string[]): Promise<void> {
  for (const id of ids) await sendNow(deps, id);
}

/** Before an executor is tried again that could not reach the database. */
const AGAIN_SECONDS = 10;

/**
 * Sends a message, unless it waits or is another executor's. Then, as that one may be dead, it comes by the queue. Throws only
 * if the message is not stored.
 */
async function sendNow<T = undefined>(
  deps: OutboxDeps,
  id: string,
  { storing, isStored = () => true }: { storing?: Storing<T>; isStored?: () => boolean } = {},
): Promise<void> {
  const later = await executeJob(deps, deliverMessage, id, storing).catch((cause: unknown): Later => {
    if (!isStored()) throw cause;
    deps.log.warn("a message was not sent yet", { message_id: id, cause });
    return { retryAfterSeconds: AGAIN_SECONDS };
  });
  if (!later) return;
  const delaySeconds = later.retryAfterSeconds;
  const occasion = `met-${newId()}`;
  await deps.queue
    .publish(messageOf({ name: deliverMessage.name, key: id }, { occasion, delaySeconds }))
    .catch((cause: unknown) => deps.log.warn("a message is left to the sweep", { message_id: id, cause }));
}

/** Says in Redis that a message is stored, for other programs. Never throws. */
async function announce(
  { deliveryStream, log }: OutboxDeps,
  message: OutboxMessage,
  { id, artifactIds }: { id: string; artifactIds: readonly string[] },
): Promise<void> {
  await deliveryStream
    ?.append(streamEntry(message, { id, artifactIds, attempt: 1 }))
    .catch((cause: unknown) => log.warn("the stream of replies does not respond", { cause }));
}
