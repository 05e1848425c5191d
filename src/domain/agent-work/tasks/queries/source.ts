import { sql, type SQL } from "drizzle-orm";

/** SQL values: what a task's message, whose `message_metadata` this is, says of its source. See `storedSource`. */
export const sourceIn = (metadata: SQL) => ({
  /** The session that a platform's message came from. */
  sessionId: sql<string | null>`(${metadata} #>> '{channel,session_id}')::uuid`,
  /** The session in which questions are asked: of a platform's message, or of a schedule's owner. */
  askedSessionId: sql<
    string | null
  >`coalesce(${metadata} #>> '{channel,session_id}', ${metadata} #>> '{schedule,session_id}')::uuid`,
  messageId: sql<string | null>`${metadata} #>> '{channel,message_id}'`,
  replyTo: sql<string | null>`${metadata} #>> '{channel,reply_to}'`,
  replyTarget: sql<string | null>`${metadata} #>> '{channel,reply_target}'`,
});
