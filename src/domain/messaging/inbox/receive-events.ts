import type { ReceivedClick, ReceivedEvent, ReceivedMessage } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { failAccepted, failPending, storeEvents, type NewEvent } from "./queries.ts";
import { jidOf, sessionKeyOf, type SessionKey } from "./session-key.ts";

export interface InboxDeps {
  db: Db;
  queue: Queue;
  channelSecrets: Pick<Secrets, "encrypt">;
}

/**
 * Accepts what a platform sent to a channel: returns when the events are stored and will be handled. Idempotent, so a
 * platform may send them again. Group messages that are not meant for the bot are dropped, by the channel's mode.
 */
export async function receiveEvents(
  deps: InboxDeps,
  channel: Pick<Channel, "id" | "channelType" | "groupMode">,
  events: readonly ReceivedEvent[],
): Promise<void> {
  const failures = events
    .filter((each) => each.kind === "status")
    .filter(({ status }) => status === "failed");
  if (failures.length > 0) await failAccepted(deps.db, channel.id, failures);
  const removals = events.filter((each) => each.kind === "removal");
  if (removals.length > 0) {
    const jids = removals.map(({ place }) => jidOf(channel.channelType, place.chatId));
    await failPending(deps.db, channel.id, jids);
  }
  const wanted = wantedEvents(channel, events);
  if (wanted.length === 0) return;
  const rows: NewEvent[] = [];
  for (const { event, needsSession } of wanted) {
    rows.push({
      id: newId(),
      eventId: event.id,
      sessionKey: sessionKeyOf(channel.channelType, event.place),
      senderId: event.sender.id,
      event: await sealed(deps, event),
      needsSession,
    });
  }
  const sessions = await storeEvents(deps.db, channel.id, rows);
  await deps.queue.publishBatch(
    sessions.map(({ firstEventId, sessionKey, senderId }) =>
      receiveMessage({ channelId: channel.id, sessionKey, senderId }, firstEventId),
    ),
  );
}

/** The queue's message that has a session's open events handled. */
export function receiveMessage(key: SessionKey, occasion: string) {
  const { channelId, sessionKey, senderId } = key;
  const id = sha256Hex(JSON.stringify([channelId, sessionKey, senderId, occasion])).slice(0, 32);
  return { function: "receive-message", payload: key, deduplicationId: `receive-${id}` };
}

/** The clicks, and the messages that are meant for the bot; `needsSession` when only a session in their thread says so. */
export function wantedEvents(
  channel: Pick<Channel, "groupMode">,
  events: readonly ReceivedEvent[],
): { event: ReceivedMessage | ReceivedClick; needsSession: boolean }[] {
  return events.flatMap((event) => {
    if (event.kind !== "message" && event.kind !== "click") return [];
    const needsSession = event.kind === "message" ? passage(channel, event) : false;
    return needsSession === "closed" ? [] : [{ event, needsSession }];
  });
}

/** Whether a message is taken; true when it is taken only where the bot has a session. */
function passage(
  { groupMode }: Pick<Channel, "groupMode">,
  { place, isAddressed }: ReceivedMessage,
): boolean | "closed" {
  if (place.chatType === "dm") return false;
  if (groupMode === "off") return "closed";
  if (groupMode === "all" || isAddressed) return false;
  // A conversation that the bot has begun in a thread goes on without a mention.
  return place.threadId === undefined ? "closed" : true;
}

/** A reply target lets its holder post, so it is encrypted in the row. */
async function sealed(
  { channelSecrets }: Pick<InboxDeps, "channelSecrets">,
  event: ReceivedMessage | ReceivedClick,
): Promise<ReceivedMessage | ReceivedClick> {
  if (event.kind === "message") {
    const { replyTarget } = event;
    return replyTarget === undefined
      ? event
      : { ...event, replyTarget: await channelSecrets.encrypt(replyTarget) };
  }
  const { confirmation } = event;
  return confirmation === undefined
    ? event
    : { ...event, confirmation: await channelSecrets.encrypt(confirmation) };
}
