import type { ReceivedClick, ReceivedEvent, ReceivedMessage } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { RateLimits } from "#src/domain/operations/limits/index.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { failAccepted, failPending, storeEvents, type NewEvent } from "./queries.ts";
import { netOfChannel, receiveMessage } from "./receive-message.ts";
import { jidOf, sessionKeyOf } from "./session-key.ts";

export interface InboxDeps {
  db: Db;
  queue: Queue;
  rateLimits: Pick<RateLimits, "takeEvents">;
  channelSecrets: Pick<Secrets, "encrypt">;
}

/** Events of one delivery that are taken at once. */
const MOST_EVENTS = 100;

/** Events that were not taken. */
export interface Rest {
  events: readonly ReceivedEvent[];
  /** When they may be brought again; 0 for at once. */
  retryAfterSeconds: number;
}

/**
 * Accepts what a platform sent to a channel: returns when the events are stored and will be handled. Idempotent, so a
 * platform may send them again. Group messages that are not meant for the bot are dropped, by the channel's mode.
 *
 * Of many events the next 100 are taken, or as many as the limits of the channel and of its owner have room for. Returns the
 * rest, if there is any.
 */
export async function receiveEvents(
  deps: InboxDeps,
  channel: Pick<Channel, "id" | "userId" | "channelType" | "groupMode">,
  events: readonly ReceivedEvent[],
): Promise<Rest | undefined> {
  const wanted = wantedEvents(channel, events);
  const failures = events
    .filter((each) => each.kind === "status")
    .filter(({ status }) => status === "failed");
  const removals = events.filter((each) => each.kind === "removal");
  // Receipts of what the bot sent, and what people of a group tell each other, do not use the limits up.
  const isReport = failures.length + removals.length > 0;
  const counted = Math.min(MOST_EVENTS, Math.max(wanted.length, isReport ? 1 : 0));
  if (counted === 0) return undefined;
  const { taken, retryAfterSeconds } = await deps.rateLimits.takeEvents(channel, counted);
  if (taken === 0) return { events, retryAfterSeconds };
  if (failures.length > 0) await failAccepted(deps.db, channel.id, failures);
  if (removals.length > 0) {
    const jids = removals.map(({ place }) => jidOf(channel.channelType, place.chatId));
    await failPending(deps.db, channel.id, jids);
  }
  if (wanted.length === 0) return undefined;
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
  const { sessions, restFrom } = await storeEvents(deps.db, channel.id, rows, taken);
  if (sessions.length > 0) {
    const batch = {
      channelId: channel.id,
      ownerId: channel.userId,
      sessions: sessions.map(({ sessionKey, senderId }) => ({ sessionKey, senderId })),
    };
    const occasion = sessions.map(({ firstEventId }) => firstEventId).join(" ");
    await deps.queue.publish({ ...receiveMessage(batch, occasion), atOnce: true, net: netOfChannel(batch) });
  }
  if (restFrom === null) return undefined;
  return { events: wanted.slice(restFrom).map(({ event }) => event), retryAfterSeconds };
}

/** The clicks, and the messages that are meant for the bot; `needsSession` when only a session in their thread says so. */
function wantedEvents(
  channel: Pick<Channel, "groupMode">,
  events: readonly ReceivedEvent[],
): { event: ReceivedMessage | ReceivedClick; needsSession: boolean }[] {
  return events.flatMap((event) => {
    if (event.kind !== "message" && event.kind !== "click") return [];
    const passage = event.kind === "message" ? passageOf(channel, event) : "open";
    return passage === "closed" ? [] : [{ event, needsSession: passage === "in session" }];
  });
}

/** Whether a message is taken: always, only where the bot has a session, or never. */
type Passage = "open" | "in session" | "closed";

function passageOf(
  { groupMode }: Pick<Channel, "groupMode">,
  { place, isAddressed }: ReceivedMessage,
): Passage {
  if (place.chatType === "dm") return "open";
  if (groupMode === "off") return "closed";
  if (groupMode === "all" || isAddressed) return "open";
  // A conversation that the bot has begun in a thread goes on without a mention.
  return place.threadId === undefined ? "closed" : "in session";
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
