import { and, eq, gt, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { approvals, chats, projects, tasks } from "#src/db/schema/index.ts";
import { roleInProject, type Somebody } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Approval = typeof approvals.$inferSelect;
export type NewApproval = Omit<Approval, "response" | "answeredBy" | "answeredAt" | "createdAt">;
export type ApprovalResponse = NonNullable<Approval["response"]>;

/** The question of a call, made where there is none; `isNew` tells that this call made it. */
export async function upsertApproval(
  db: Db,
  approval: NewApproval,
): Promise<{ approval: Approval; isNew: boolean }> {
  const [made, found] = await db.batch([
    db.insert(approvals).values(approval).onConflictDoNothing().returning({ id: approvals.id }),
    db
      .select()
      .from(approvals)
      .where(
        and(
          eq(approvals.taskId, approval.taskId),
          eq(approvals.iteration, approval.iteration),
          eq(approvals.callId, approval.callId),
        ),
      ),
  ]);
  const [row] = found;
  if (!row) throw new Error("The approval is not there");
  return { approval: row, isNew: made.length > 0 };
}

/** A question, the project it is about, and what somebody is there. */
export function approvalWithRole(db: Db, id: string, somebody: Somebody) {
  return db
    .select({
      approval: approvals,
      task: { status: tasks.status, chatId: tasks.chatId },
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject(somebody),
    })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(approvals.id, id));
}

/**
 * Answer an open question, once; `allow_all` is kept with the chat in the same statement, and answers what else the task asks
 * about this tool. Answers whether this call did it.
 */
export async function answerApprovalRow(
  db: Db,
  answer: { id: string; response: ApprovalResponse; userId: string },
): Promise<boolean> {
  const result = await db.execute(sql`
    WITH answered AS (
      UPDATE ${approvals} SET response = ${answer.response}::text, answered_by = ${answer.userId}::uuid, answered_at = now()
      FROM ${tasks}
      WHERE approvals.id = ${answer.id}::uuid AND approvals.response IS NULL AND approvals.expires_at > now()
        AND tasks.id = approvals.task_id AND tasks.status = 'running'
      RETURNING approvals.id, approvals.task_id, approvals.tool, tasks.chat_id
    ), neighbours AS (
      UPDATE ${approvals} SET response = 'allow_all', answered_by = ${answer.userId}::uuid, answered_at = now()
      FROM answered
      WHERE ${answer.response}::text = 'allow_all' AND approvals.task_id = answered.task_id
        AND approvals.tool = answered.tool AND approvals.id <> answered.id
        AND approvals.response IS NULL AND approvals.expires_at > now()
    ), allowed AS (
      UPDATE ${chats} SET allowed_tools = array_append(allowed_tools, answered.tool) FROM answered
      WHERE ${answer.response}::text = 'allow_all' AND chats.id = answered.chat_id
        AND NOT answered.tool = ANY(allowed_tools)
    )
    SELECT 1 FROM answered
  `);
  return result.rows.length > 0;
}

/** Answer a question whose tool was allowed for its chat, unless somebody has. Answers the question as it stands then. */
export async function allowApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [approval] = await db
    .update(approvals)
    .set({
      response: sql`coalesce(${approvals.response}, 'allow_all')`,
      answeredAt: sql`coalesce(${approvals.answeredAt}, now())`,
    })
    .where(eq(approvals.id, id))
    .returning();
  return approval;
}

/** Whether a question of a task waits for an answer. */
export async function isAsking(db: Db, taskId: string): Promise<boolean> {
  const open = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.taskId, taskId), isNull(approvals.response), gt(approvals.expiresAt, sql`now()`)))
    .limit(1);
  return open.length > 0;
}

/** Tasks whose question was answered a while ago: each may have lost the message that it goes on. */
export function answeredTasks(db: Db, limit: number) {
  return db
    .selectDistinct({ taskId: approvals.taskId })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .where(
      and(
        eq(tasks.status, "running"),
        isNotNull(approvals.response),
        lt(approvals.answeredAt, sql`now() - interval '30 seconds'`),
        gt(approvals.answeredAt, sql`now() - interval '1 hour'`),
      ),
    )
    .limit(limit);
}

/** Questions of a project's chats, or of one chat, that wait for an answer; oldest first. */
export function openApprovals(db: Db, of: { projectId?: string | undefined; chatId?: string | undefined }) {
  return db
    .select({ approval: approvals, chatId: tasks.chatId })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .where(
      and(
        of.projectId === undefined ? undefined : eq(tasks.projectId, of.projectId),
        of.chatId === undefined ? undefined : eq(tasks.chatId, of.chatId),
        eq(tasks.status, "running"),
        isNull(approvals.response),
        gt(approvals.expiresAt, sql`now()`),
      ),
    )
    .orderBy(approvals.id);
}
