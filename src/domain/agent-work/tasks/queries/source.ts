import { sql, type SQL } from "drizzle-orm";
import type { SourceKind } from "../source.ts";

/** SQL values: what the row `task` of `tasks` says of its source. */
export function sourceIn(task: SQL) {
  const source = sql`coalesce(${task}.source, ${ofVersionBefore(task)})`;
  const kind = sql<SourceKind>`${source} ->> 'kind'`;
  const askedSessionId = sql<string | null>`(${source} ->> 'sessionId')::uuid`;
  return {
    kind,
    /** The session that a platform's message came from. */
    sessionId: sql<string | null>`CASE WHEN ${kind} = 'channel' THEN ${askedSessionId} END`,
    /** The session in which questions are asked: of a platform's message, or of a schedule's owner. */
    askedSessionId,
    messageId: sql<string | null>`${source} ->> 'messageId'`,
    replyTo: sql<string | null>`${source} ->> 'replyTo'`,
    replyTarget: sql<string | null>`${source} ->> 'replyTarget'`,
  };
}

/**
 * The source of a task that the version before has stored, also during a deployment: its routing was in the message's
 * metadata. To be dropped once no such task is unfinished.
 */
function ofVersionBefore(task: SQL): SQL {
  const isOwn = sql`${task}.origin IN ('api', 'browser', 'standalone', 'schedule')`;
  return sql`(SELECT jsonb_build_object('kind', CASE WHEN ${isOwn} THEN ${task}.origin ELSE 'channel' END,
      'sessionId', was ->> 'session_id', 'messageId', was ->> 'message_id', 'replyTo', was ->> 'reply_to',
      'replyTarget', was ->> 'reply_target')
    FROM messages m, coalesce(m.message_metadata -> 'channel', m.message_metadata -> 'schedule') AS was
    WHERE m.task_id = ${task}.id AND m.role = 'user')`;
}
