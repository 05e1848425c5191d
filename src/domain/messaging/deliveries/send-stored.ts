import type { Channel, ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { announceMessage, type AnnounceDeps } from "./announce-message.ts";
import type { DescribedMessage } from "./stream-entry.ts";
import { insertArtifacts, insertMessage, messageOfOccasion, type NewMessage } from "./queries/messages.ts";

/** A message for the outbox. */
interface Wish extends Omit<NewMessage, "channel">, Pick<DescribedMessage, "target" | "scheduleId"> {
  /** Paths in the project of its task, which `findFiles` has found. */
  files?: readonly string[];
}

/**
 * Stores a message in the outbox and sends it, and its files after it. A repetition of its occasion stores none, and goes on
 * with what a crash has left unsent.
 */
export async function sendStored(
  deps: AnnounceDeps,
  channel: Channel,
  sessionKey: string,
  message: Wish,
): Promise<void> {
  const id = await insertMessage(deps.db, { ...message, channel });
  if (id !== undefined) await announce(deps, channel, sessionKey, { ...message, id });
}

/** Pauses between two looks at a message that is being sent. */
const LOOK_MS = 400;

/**
 * Stores a message in the outbox, sends it and waits for its outcome, at most for `patienceMs`. A repetition of its occasion
 * waits for the outcome of the first. Returns the message, which is pending when it is not settled yet.
 */
export async function sendAwaited(
  deps: AnnounceDeps,
  channel: Channel,
  sessionKey: string,
  { patienceMs, ...message }: Wish & { patienceMs: number },
): Promise<ChannelMessage> {
  const until = Date.now() + patienceMs;
  const id = await insertMessage(deps.db, { ...message, channel });
  if (id !== undefined) {
    await within(announce(deps, channel, sessionKey, { ...message, id }), patienceMs);
  }
  for (;;) {
    const stored = await messageOfOccasion(deps.db, message.occasion);
    if (!stored) throw new Error("The message is not in the outbox");
    const isLater = stored.sendingSince === null && (stored.nextAttemptAt?.getTime() ?? 0) > until;
    const left = until - Date.now();
    if (stored.status !== "pending" || isLater || left <= 0) return stored;
    await pause(Math.min(LOOK_MS, left));
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for work, or until the time is over; the work then goes on. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function announce(
  deps: AnnounceDeps,
  channel: Channel,
  sessionKey: string,
  { id, files = [], ...message }: Wish & { id: string },
): Promise<void> {
  const { kind, content, place, replyTo, taskId, target, scheduleId } = message;
  const artifactIds =
    taskId === null ? [] : await insertArtifacts(deps.db, { ...message, channel, taskId, paths: files });
  await announceMessage(deps, {
    id,
    kind,
    content,
    taskId,
    artifactIds,
    sessionKey,
    channelId: channel.id,
    shard: channel.gatewayShard,
    chatId: place.chatId,
    threadId: place.threadId ?? null,
    replyTo: replyTo ?? null,
    target,
    scheduleId,
  });
}
