import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { agents, chatAttachments, messages, tasks, taskSteps } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A message's place in its chat. Question and answer share a sequence number; the question comes first. */
export type MessagePlace = Pick<typeof messages.$inferSelect, "seq" | "role">;

/**
 * The newest messages of each chat, `perChat` at most, oldest first, with the task each belongs to; or the newest of those that
 * stand before a place. Each chat is read in the order of its index, and no further than that.
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
      agent: agents.slug,
      checkpoint: sql<
        string | null
      >`(SELECT s.hash FROM snapshots s WHERE s.task_id = ${messages.taskId} ORDER BY s.id LIMIT 1)`,
    })
    .from(messages)
    .leftJoin(tasks, eq(tasks.id, messages.taskId))
    .leftJoin(agents, eq(agents.id, tasks.agentId))
    .where(sql`${messages.id} = ANY (ARRAY(${newest}))`)
    .orderBy(asc(messages.seq), desc(messages.role));
}

export type MessageRow = Awaited<ReturnType<typeof newestMessages>>[number];

export function stepsOfTasks(db: Db, taskIds: readonly string[]) {
  return db
    .select({
      taskId: taskSteps.taskId,
      // Without what is kept of a turn for the model.
      stepData: sql<Record<string, unknown>>`${taskSteps.stepData} - 'kept'`,
    })
    .from(taskSteps)
    .where(inArray(taskSteps.taskId, [...taskIds]))
    .orderBy(asc(taskSteps.taskId), asc(taskSteps.stepIndex));
}

/** What was said in a chat after its summary, oldest first. */
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

/** The chat while nothing runs in it, as the first part of a WITH list: held, so that what follows is one with that. */
const idle = (chatId: string) => sql`idle AS (
    SELECT chats.id FROM chats WHERE chats.id = ${chatId}::uuid AND NOT EXISTS (
      SELECT 1 FROM tasks WHERE tasks.chat_id = chats.id AND tasks.status IN ('queued', 'running'))
    FOR UPDATE
  )`;

/** Keep what the model is told of older messages, unless something has begun to run or another account was kept meanwhile. */
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

/** Empty a chat in which nothing runs: what was said, its account, and what was allowed for all of it. */
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

/** The last question of a chat, with the snapshot from before the first change, and the project of that, which the chat may have left. The table is named: a query over one strips it. */
export function lastTurn(db: Db, chatId: string) {
  return db
    .select({
      seq: messages.seq,
      role: messages.role,
      content: messages.content,
      taskId: messages.taskId,
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
 * Take back the last question of a chat and its answer while nothing runs in it. Nothing where something runs, or where it is the
 * last no more. An account that took it in goes, too.
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

/** Where the files lie that were sent along with a chat's messages; with those of no message where that is said. */
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
