import type { Button, Place } from "#src/channels/channel.ts";
import type { Channel, ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import type { StreamEntry } from "#src/platform/redis/delivery-stream.ts";

/** A message for the outbox. Its row has all that is sent of it. */
export interface OutboxMessage {
  channel: Pick<Channel, "id" | "channelType">;
  sessionKey: string;
  place: Place;
  kind: ChannelMessage["kind"];
  /** Markdown; for a file, its path in the project. */
  content: string;
  /** Why the message is sent. A second message with the same occasion is not stored. */
  occasion: string;
  replyTo: string | undefined;
  /** Fernet token. */
  replyTarget: string | undefined;
  buttons: readonly Button[];
  taskId: string | null;
  /** The person it is for. It is sent only while that person may be written to in this place. Null for a stranger. */
  person: {
    userId: string;
    /** The link that must still count when it is sent. Null for a chat that the person chose in a channel of their own. */
    identityId: string | null;
  } | null;
  /** As a schedule's `deliver` names it; undefined for a reply. */
  target?: string;
  scheduleId?: string;
}

/** The messages of files that go with a message: the same place and person, and behind it. */
export function filesBehind(message: OutboxMessage, paths: readonly string[]): OutboxMessage[] {
  const { occasion } = message;
  const plain = { kind: "artifact", replyTo: undefined, replyTarget: undefined, buttons: [] } as const;
  return paths.map((path) => ({
    ...message,
    ...plain,
    content: path,
    occasion: fileOccasion(occasion, path),
  }));
}

/** The occasion of a file that goes with a message. */
export const fileOccasion = (occasion: string, path: string) => `${occasion}:file:${path}`;

/** Where a message of the outbox goes. */
export function placeOf({
  jid,
  platformChatType,
  platformThreadId,
}: Pick<ChannelMessage, "jid" | "platformChatType" | "platformThreadId">): Place {
  return {
    chatId: jid.slice(jid.indexOf(":") + 1),
    chatType: platformChatType ?? "dm",
    threadId: platformThreadId ?? undefined,
  };
}

/** Identifies a part of a message over all attempts to send it. */
export function seedOf({ id }: Pick<ChannelMessage, "id">, part: string): string {
  return `${id}:${part}`;
}

/** Longer texts are only in the message's row. */
const MAX_BODY = 8_000;

/** What is said of a stored message in Redis, for other programs. */
export function streamEntry(
  message: Pick<
    OutboxMessage,
    "sessionKey" | "place" | "kind" | "content" | "replyTo" | "taskId" | "target" | "scheduleId"
  > & { channel: Pick<Channel, "id"> },
  { id, artifactIds, attempt }: { id: string; artifactIds: readonly string[]; attempt: number },
): StreamEntry {
  const body = message.content.length > MAX_BODY ? "" : message.content;
  return {
    kind: message.kind,
    config_id: message.channel.id,
    session_key: message.sessionKey,
    task_id: message.taskId ?? "",
    body,
    artifact_refs: JSON.stringify(artifactIds),
    deliver: message.target ?? "origin",
    schedule_id: message.scheduleId ?? "",
    response: body,
    chat_id: message.place.chatId,
    thread_id: message.place.threadId ?? "",
    reply_to: message.replyTo ?? "",
    delivery_id: id,
    attempt: String(attempt),
  };
}
