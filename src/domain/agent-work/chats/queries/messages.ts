import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { agents, chatAttachments, messages, tasks, taskTurns, users } from "#src/db/schema/index.ts";
import { shownTurn, type Results } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A message's place in its chat. Question and answer share a sequence number; the question comes first. */
export type MessagePlace = Pick<typeof messages.$inferSelect, "seq" | "role">;

/**
 * The newest messages of each chat, or the newest before a position: at most `perChat`, oldest first, each with its task.
 * Each chat is read in the order of its index, and no further than needed.
 */
export function newestMessages(db: Db, chatIds: readonly string[], perChat: number, before?: MessagePlace) {
  const isBefore = before
    ? sql`AND m.seq <= ${before.seq}::int AND (m.seq < ${before.seq}::int OR m.role > ${before.role}::text)`
    : sql``;
  const newest = sql`
    SELECT newest.id FROM jsonb_array_elements_text(${JSON.stringify(chatIds)}::jsonb) AS chat (id), LATERAL (
      SELECT m.id FROM messages AS m WHERE m.chat_id = chat.id::uuid ${isBefore}
      ORDER BY m.seq DESC, m.role LIMIT ${perChat}::int
    ) AS newest`;
  return db
    .select({
      message: messages,
      task: tasks,
      author: { id: users.id, name: users.name },
      agent: agents.slug,
      checkpoint: sql<
        string | null
      >`(SELECT s.hash FROM snapshots s WHERE s.task_id = ${messages.taskId} ORDER BY s.id LIMIT 1)`,
      spent: sql<{ model: string | null; credits: number } | null>`(
        SELECT jsonb_build_object('credits', sum(u.credits_deducted),
          'model', (array_agg(u.model ORDER BY u.iteration DESC) FILTER (WHERE u.purpose = 'agent'))[1])
        FROM usage_logs u WHERE u.task_id = ${messages.taskId} AND ${messages.role} = 'assistant' HAVING count(*) > 0)`,
    })
    .from(messages)
    .leftJoin(tasks, eq(tasks.id, messages.taskId))
    .leftJoin(users, eq(users.id, tasks.userId))
    .leftJoin(agents, eq(agents.id, tasks.agentId))
    .where(sql`${messages.id} = ANY (ARRAY(${newest}))`)
    .orderBy(asc(messages.seq), desc(messages.role));
}

export type MessageRow = Awaited<ReturnType<typeof newestMessages>>[number];

export function turnsOfTasks(db: Db, taskIds: readonly string[], results?: Results) {
  return db
    .select({ taskId: taskTurns.taskId, turnData: shownTurn(results) })
    .from(taskTurns)
    .where(inArray(taskTurns.taskId, [...taskIds]))
    .orderBy(asc(taskTurns.taskId), asc(taskTurns.turnIndex));
}

/** The messages of a chat after its summary, oldest first. */
export function unsummarisedMessages(db: Db, chatId: string) {
  return db
    .select({ seq: messages.seq, role: messages.role, content: messages.content })
    .from(messages)
    .where(
      and(
        eq(messages.chatId, chatId),
        sql`${messages.seq} > coalesce((SELECT summarized_seq FROM chats WHERE id = ${chatId}::uuid), 0)`,
      ),
    )
    .orderBy(asc(messages.seq), desc(messages.role));
}

/**
 * The chat, if no task runs in it, as the first part of a WITH list. Its row is locked, so that the rest of the statement
 * is atomic with this check.
 */
const idle = (chatId: string) => sql`idle AS (
    SELECT chats.id FROM chats WHERE chats.id = ${chatId}::uuid AND NOT EXISTS (
      SELECT 1 FROM tasks WHERE tasks.chat_id = chats.id AND tasks.status IN ('queued', 'running'))
    FOR UPDATE
  )`;

/** Stores the summary of older messages, unless a task has begun or another summary was stored in the meantime. */
export async function storeSummary(
  db: Db,
  chatId: string,
  { summary, through, previousThrough }: { summary: string; through: number; previousThrough: number | null },
): Promise<boolean> {
  const result = await db.execute(sql`
    WITH ${idle(chatId)}
    UPDATE chats SET summary = ${summary}::text, summarized_seq = ${through}::int
    FROM idle WHERE chats.id = idle.id AND chats.summarized_seq IS NOT DISTINCT FROM ${previousThrough}::int
      AND EXISTS (SELECT 1 FROM messages m WHERE m.chat_id = idle.id AND m.seq = ${through}::int)
    RETURNING chats.id
  `);
  return result.rows.length > 0;
}

/** Clears a chat in which no task runs: its messages, its summary, and its allowed tools. */
export async function deleteMessages(db: Db, chatId: string): Promise<{ idle: boolean; deleted: number }> {
  const result = await db.execute<{ idle: boolean; deleted: number }>(sql`
    WITH ${idle(chatId)}, gone AS (
      DELETE FROM messages USING idle WHERE messages.chat_id = idle.id RETURNING messages.id
    ), chat AS (
      UPDATE chats SET summary = NULL, summarized_seq = NULL, allowed_tools = '{}', updated_at = now()
      FROM idle WHERE chats.id = idle.id
    )
    SELECT EXISTS (SELECT 1 FROM idle) AS idle, (SELECT count(*) FROM gone)::int AS deleted
  `);
  return result.rows[0] ?? { idle: false, deleted: 0 };
}

/**
 * The last message of a chat, with the snapshot from before its first change and the project of that snapshot, which may
 * differ from the chat's. The table is named because drizzle strips column prefixes in a query over one table.
 */
export function lastTurn(db: Db, chatId: string) {
  return db
    .select({
      seq: messages.seq,
      role: messages.role,
      content: messages.content,
      taskId: messages.taskId,
      /** Who wrote it. */
      userId: sql<string | null>`(SELECT t.user_id FROM tasks t WHERE t.id = messages.task_id)`,
      checkpoint: sql<{ hash: string; projectId: string } | null>`(
        SELECT jsonb_build_object('hash', s.hash, 'projectId', s.project_id)
        FROM snapshots s WHERE s.task_id = messages.task_id ORDER BY s.id LIMIT 1)`,
    })
    .from(messages)
    .where(eq(messages.chatId, chatId))
    .orderBy(desc(messages.seq), desc(messages.role))
    .limit(1);
}

/**
 * Deletes the last message of a chat and its answer, and a summary that covers them. Does nothing when a task runs, or when
 * the message is no longer the last.
 */
export async function deleteTurn(db: Db, chatId: string, seq: number): Promise<string[]> {
  const result = await db.execute<{ id: string }>(sql`
    WITH ${idle(chatId)}, gone AS (
      DELETE FROM messages USING idle
      WHERE messages.chat_id = idle.id AND messages.seq = ${seq}::int
        AND NOT EXISTS (SELECT 1 FROM messages later WHERE later.chat_id = idle.id AND later.seq > ${seq}::int)
      RETURNING messages.id
    ), chat AS (
      UPDATE chats SET updated_at = now(),
        summary = CASE WHEN summarized_seq >= ${seq}::int THEN NULL ELSE summary END,
        summarized_seq = CASE WHEN summarized_seq >= ${seq}::int THEN NULL ELSE summarized_seq END
      FROM idle WHERE chats.id = idle.id AND EXISTS (SELECT 1 FROM gone)
    )
    SELECT id FROM gone ORDER BY id
  `);
  return result.rows.map(({ id }) => id);
}

/** Paths of the attachments of a chat's messages; unsent uploads are included on request. */
export async function filesOfChat(db: Db, chatId: string, only: "sent" | "all"): Promise<string[]> {
  const rows = await db
    .selectDistinct({ path: chatAttachments.filePath })
    .from(chatAttachments)
    .where(
      and(
        eq(chatAttachments.chatId, chatId),
        only === "sent" ? sql`${chatAttachments.messageId} IS NOT NULL` : undefined,
      ),
    );
  return rows.map(({ path }) => path);
}
