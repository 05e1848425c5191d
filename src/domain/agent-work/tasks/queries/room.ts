import { sql, type SQL } from "drizzle-orm";
import type { Slot } from "#src/db/statement.ts";
import { WAIT_FOR_AGENT_SECONDS, type AgentLimits } from "../agent-limits.ts";

/**
 * A query for a limit that leaves no room for a task in the chat of the row `ready`, as one row in the shape of `Exceeded`;
 * no row where there is room.
 *
 * A chat handles its messages one after the other. So the agents at work are the chats with an unfinished task, except
 * chats that wait for an approval, which may take days. A message to a chat with an unfinished task waits for its turn
 * there, and does not count as another agent. A task that resumes after an approval counts again, and is never refused: the
 * limit applies to new messages only.
 */
export function exceededLimit(
  { userId, projectId }: Record<"userId" | "projectId", Slot<string>>,
  limits: AgentLimits,
): SQL {
  const ofPerson = sql`tasks.user_id = ${userId}::uuid`;
  const ofProject = sql`tasks.project_id = ${projectId}::uuid`;
  const counts = [
    ...agentsAtWork("person", ofPerson, limits.USER_MAX_CONCURRENT_AGENTS),
    ...agentsAtWork("project", ofProject, limits.PROJECT_MAX_CONCURRENT_AGENTS),
    ...messagesOf10Seconds(ofPerson, limits.USER_ENQUEUE_RATE_PER_10S),
  ];
  if (counts.length === 0) return sql`SELECT WHERE false`;
  return sql`
    SELECT counts.* FROM ready, (${sql.join(counts, sql` UNION ALL `)}) AS counts ("of", "limit", current, "waitSeconds")
    WHERE counts.current >= counts."limit" AND (counts."of" = 'rate' OR NOT EXISTS (
      SELECT 1 FROM tasks WHERE ${ofPerson} AND tasks.chat_id = ready.chat_id AND ${UNFINISHED}))
    LIMIT 1`;
}

/** Worded as in the partial indexes. */
const UNFINISHED = sql`tasks.status IN ('queued', 'running')`;

function agentsAtWork(name: "person" | "project", whose: SQL, limit: number): SQL[] {
  if (limit === 0) return [];
  const part = sql`
    SELECT ${name}::text, ${limit}::int, count(*)::int, ${WAIT_FOR_AGENT_SECONDS}::int
    FROM (
      SELECT FROM tasks LEFT JOIN approvals ON approvals.task_id = tasks.id
        AND approvals.response IS NULL AND approvals.expires_at > now()
      WHERE ${whose} AND ${UNFINISHED}
      GROUP BY tasks.chat_id HAVING count(approvals.id) = 0
    ) AS chats_at_work`;
  return [part];
}

/** There is room again when the oldest of the last `limit` messages is ten seconds old. */
function messagesOf10Seconds(whose: SQL, limit: number): SQL[] {
  if (limit === 0) return [];
  const part = sql`
    SELECT 'rate'::text, ${limit}::int, count(*)::int,
      greatest(1, ceil(extract(epoch FROM min(created_at) + interval '10 seconds' - now())))::int
    FROM (
      SELECT created_at FROM tasks WHERE ${whose} AND created_at > now() - interval '10 seconds'
      ORDER BY created_at DESC LIMIT ${limit}::int
    ) AS latest`;
  return [part];
}
