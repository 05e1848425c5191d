import type { StreamEntry } from "#src/platform/redis/delivery-stream.ts";

/** A message of the outbox, as the stream of replies describes it. */
export interface DescribedMessage {
  id: string;
  kind: StreamEntry["kind"];
  channelId: string;
  sessionKey: string;
  taskId: string | null;
  content: string;
  /** Ids of the files that go after it. */
  artifactIds: readonly string[];
  chatId: string;
  threadId: string | null;
  replyTo: string | null;
  /** Counted from 1. */
  attempt: number;
  /** As a schedule's `deliver` names it; undefined for a reply. */
  target?: string | undefined;
  scheduleId?: string | undefined;
}

/** Longer texts are only in the message's row. */
const MAX_BODY = 8_000;

/** The entry of a message. */
export function streamEntry(message: DescribedMessage): StreamEntry {
  const body = message.content.length > MAX_BODY ? "" : message.content;
  return {
    kind: message.kind,
    config_id: message.channelId,
    session_key: message.sessionKey,
    task_id: message.taskId ?? "",
    body,
    artifact_refs: JSON.stringify(message.artifactIds),
    deliver: message.target ?? "origin",
    schedule_id: message.scheduleId ?? "",
    response: body,
    chat_id: message.chatId,
    thread_id: message.threadId ?? "",
    reply_to: message.replyTo ?? "",
    delivery_id: message.id,
    attempt: String(message.attempt),
  };
}
