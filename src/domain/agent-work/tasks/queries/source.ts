import { sql, type SQL } from "drizzle-orm";
import type { SourceKind } from "../source.ts";

/** SQL values: what the row `task` of `tasks` says of its source. */
export function sourceIn(task: SQL) {
  const source = sql`${task}.source`;
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
