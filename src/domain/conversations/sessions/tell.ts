import type { Place } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { sendStored, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import { namesMessage } from "./names-message.ts";
import type { Membership, StoredEvent } from "./queries/events.ts";

/** Where a message came from, and how it is replied to. */
export interface MessageOrigin {
  channel: Channel;
  event: StoredEvent;
  place: Place;
  /** The platform's id of the message. */
  replyTo: string | undefined;
  /** Fernet token. */
  replyTarget: string | undefined;
}

/** An event of a linked person. */
export interface HeardFrom extends MessageOrigin {
  person: Pick<Membership, "userId" | "identityId">;
}

/** Replies to an event with a text of the service itself, once; `about` distinguishes the texts of one event. */
export async function tell(
  deps: OutboxDeps,
  { channel, event, person, place, replyTo, replyTarget }: HeardFrom,
  content: string,
  about?: "media",
): Promise<void> {
  await sendStored(deps, {
    channel,
    sessionKey: event.sessionKey,
    place,
    kind: "message",
    content,
    occasion: about === undefined ? `event:${event.id}` : `event:${event.id}:${about}`,
    replyTo: namesMessage(channel, place) ? replyTo : undefined,
    replyTarget,
    buttons: [],
    taskId: null,
    person,
  });
}

/** The origin of a message that is not handled yet; undefined for one that is, and for a click. */
export function originOfMessage(channel: Channel, stored: StoredEvent): MessageOrigin | undefined {
  const { event } = stored;
  if (event?.kind !== "message") return undefined;
  const { place, messageId: replyTo, replyTarget } = event;
  return { channel, event: stored, place, replyTo, replyTarget };
}
