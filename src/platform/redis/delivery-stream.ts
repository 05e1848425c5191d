import type { Redis } from "./client.ts";

/** An entry of the stream of replies; the fields are those of other programs that read it, all texts. */
export interface StreamEntry {
  kind: string;
  config_id: string;
  session_key: string;
  task_id: string;
  /** Empty for a long text; the row of `delivery_id` has all of it. */
  body: string;
  artifact_refs: string;
  /** `origin` for a reply, else the target. */
  deliver: string;
  schedule_id: string;
  /** The same as `body`, for older readers. */
  response: string;
  chat_id: string;
  thread_id: string;
  reply_to: string;
  /** Id of the message's row, which decides what is still to be sent. */
  delivery_id: string;
  attempt: string;
}

/** The streams by which other programs hear of messages to platforms. Throws when Redis does not respond. */
export interface DeliveryStream {
  /** Appends a message that is stored. */
  append(entry: StreamEntry): Promise<void>;
  /** Appends to the stream of messages that were given up. */
  bury(entry: StreamEntry & { error: string }): Promise<void>;
}

const DEAD_LETTERS = "gateway_delivery_dlq";

export function deliveryStream(
  redis: Redis,
  { stream, maxLength }: { stream: string; maxLength: number },
): DeliveryStream {
  const trim = { trim: { type: "MAXLEN", threshold: maxLength, comparison: "~" } } as const;
  const appendTo = async (key: string, entry: StreamEntry) => {
    await redis.xadd(key, "*", { ...entry }, trim);
  };
  return {
    append: (entry) => appendTo(stream, entry),
    bury: (entry) => appendTo(DEAD_LETTERS, entry),
  };
}
