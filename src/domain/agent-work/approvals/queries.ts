import { and, eq, gt, inArray, isNotNull, isNull, lt, sql, type SQL } from "drizzle-orm";
import { approvals, chats, projects, tasks, users } from "#src/db/schema/index.ts";
import { rolesGranting } from "#src/domain/access/permissions/index.ts";
import { roleInProject, type Viewer } from "#src/domain/workspaces/projects/index.ts";
import { isMailed, MAILED_ORIGINS, questionDue } from "#src/domain/agent-work/task-mails/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeJobs } from "#src/work/queries.ts";

export type Approval = typeof approvals.$inferSelect;
export type NewApproval = Omit<
  Approval,
  "response" | "reason" | "encryptedAnswers" | "answeredBy" | "answeredAt" | "createdAt"
>;
/** What people answer. */
export type ApprovalResponse = Exclude<NonNullable<Approval["response"]>, "stop_because">;

/**
 * The approval of a call, created if missing, with the name of the person who answered it; `isNew` says that this statement
 * created it. `declined` is another approval of the task that a message has denied.
 */
export async function upsertApproval(
  db: Db,
  approval: NewApproval,
): Promise<{
  approval: Approval;
  answeredBy: string | null;
  isNew: boolean;
  declined: Approval | undefined;
}> {
  const [made, found, declined] = await db.batch([
    db.insert(approvals).values(approval).onConflictDoNothing().returning({ id: approvals.id }),
    db
      .select({ approval: approvals, answeredBy: users.name })
      .from(approvals)
      .leftJoin(users, eq(users.id, approvals.answeredBy))
      .where(
        and(
          eq(approvals.taskId, approval.taskId),
          eq(approvals.iteration, approval.iteration),
          eq(approvals.callId, approval.callId),
          eq(approvals.question, approval.question),
        ),
      ),
    db
      .select()
      .from(approvals)
      .where(
        and(
          eq(approvals.taskId, approval.taskId),
          isNotNull(approvals.reason),
          inArray(approvals.response, ["stop", "cancel"]),
        ),
      )
      .limit(1),
    db.execute(mailOfQuestion(approval.id)),
  ]);
  const [row] = found;
  if (!row) throw new Error("The approval is not there");
  return { ...row, isNew: made.length > 0, declined: declined[0] };
}

/** Stores the job that mails a question, if this batch has made it and the task's person wants that. */
function mailOfQuestion(id: string): SQL {
  const origins = sql.join(
    MAILED_ORIGINS.map((origin) => sql`${origin}`),
    sql`, `,
  );
  const isWanted = isMailed({ userId: sql`t.user_id`, startedAt: sql`t.started_at` }, sql`a.created_at`);
  return storeJobs(
    questionDue,
    sql`FROM approvals a JOIN tasks t ON t.id = a.task_id
      WHERE a.id = ${id}::uuid AND t.origin IN (${origins}) AND ${isWanted}`,
    { key: sql`a.id`, payload: { taskId: sql`t.id` }, share: sql`t.user_id` },
  );
}

/** An approval, its project, and a person's role in the project. */
export function approvalWithRole(db: Db, id: string, viewer: Viewer) {
  return db
    .select({
      approval: approvals,
      task: { status: tasks.status, chatId: tasks.chatId, userId: tasks.userId },
      project: { id: projects.id },
      role: roleInProject(viewer),
    })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(approvals.id, id));
}

/** Most characters of the reason of a denial; of a message that denied it, the whole is in the chat. */
export const REASON_CHARS = 2_000;

/**
 * Answers a pending approval once, and returns whether this call did. `allow_all` is stored with the chat in the same
 * statement, and answers the task's other approvals of this tool. The task is locked first, so that its end either comes
 * first or forgets what is answered here.
 */
export async function answerApprovalRow(
  db: Db,
  answer: {
    id: string;
    response: ApprovalResponse;
    reason: string | null;
    encryptedAnswers: string | null;
    userId: string;
  },
): Promise<boolean> {
  // What is allowed counts for the tasks of the same person.
  const entry = sql`(CASE WHEN chats.user_id = answered.user_id THEN '' ELSE answered.user_id || ':' END
    || coalesce(answered.allowance, answered.tool))`;
  const stored = answer.reason === null ? answer.response : "stop_because";
  const locked = db.execute(sql`
    SELECT FROM tasks WHERE id = (SELECT task_id FROM approvals WHERE id = ${answer.id}::uuid) FOR SHARE
  `);
  const answering = db.execute(sql`
    WITH answered AS (
      UPDATE ${approvals} SET response = ${stored}::text,
        reason = left(${answer.reason}::text, ${REASON_CHARS}),
        encrypted_answers = ${answer.encryptedAnswers}::text, answered_by = ${answer.userId}::uuid, answered_at = now()
      FROM ${tasks}
      WHERE approvals.id = ${answer.id}::uuid AND approvals.response IS NULL AND approvals.expires_at > now()
        AND tasks.id = approvals.task_id AND tasks.status = 'running'
      RETURNING approvals.id, approvals.task_id, approvals.tool, approvals.allowance, tasks.chat_id, tasks.user_id
    ), neighbours AS (
      UPDATE ${approvals} SET response = 'allow_all', answered_by = ${answer.userId}::uuid, answered_at = now()
      FROM answered
      WHERE ${answer.response}::text = 'allow_all' AND approvals.task_id = answered.task_id
        AND approvals.tool = answered.tool AND approvals.allowance IS NOT DISTINCT FROM answered.allowance
        AND approvals.id <> answered.id AND approvals.question = 0
        AND approvals.response IS NULL AND approvals.expires_at > now()
    ), allowed AS (
      UPDATE ${chats} SET allowed_tools = array_append(allowed_tools, ${entry}) FROM answered
      WHERE ${answer.response}::text = 'allow_all' AND chats.id = answered.chat_id AND NOT ${entry} = ANY(allowed_tools)
    )
    SELECT 1 FROM answered
  `);
  const [, { rows }] = await db.batch([locked, answering]);
  return rows.length > 0;
}

/** Answers an approval that follows from another answer, unless it has its own. Returns the approval's resulting state. */
export async function settleApproval(
  db: Db,
  id: string,
  { response, reason }: { response: "allow_all" | "stop" | "cancel"; reason: string | null },
): Promise<Approval | undefined> {
  const [approval] = await db
    .update(approvals)
    .set({
      response: sql`coalesce(${approvals.response}, ${response})`,
      reason: sql`CASE WHEN ${approvals.response} IS NULL THEN ${reason}::text ELSE ${approvals.reason} END`,
      answeredAt: sql`coalesce(${approvals.answeredAt}, now())`,
    })
    .where(eq(approvals.id, id))
    .returning();
  return approval;
}

/** A call of a task. */
export type CallOfTask = Pick<Approval, "taskId" | "iteration" | "callId">;

/** Cancels the questions of a call's server that are open. Returns them. */
export function cancelQuestions(
  db: Db,
  { taskId, iteration, callId }: CallOfTask,
): Promise<Pick<Approval, "id">[]> {
  return db
    .update(approvals)
    .set({ response: "cancel", answeredAt: sql`now()` })
    .where(
      and(
        eq(approvals.taskId, taskId),
        eq(approvals.iteration, iteration),
        eq(approvals.callId, callId),
        gt(approvals.question, 0),
        isNull(approvals.response),
        gt(approvals.expiresAt, sql`now()`),
      ),
    )
    .returning({ id: approvals.id });
}

/**
 * Denies the approvals of the same person that the task's chat requested before the task's message was stored, with the message as the reason.
 * Returns those that this call denied.
 */
export async function declineQuestionsBefore(
  db: Db,
  { taskId, userId }: { taskId: string; userId: string },
): Promise<{ taskId: string; approvalId: string; tool: string }[]> {
  const result = await db.execute<{ taskId: string; approvalId: string; tool: string }>(sql`
    UPDATE ${approvals} SET response = CASE WHEN approvals.question = 0 THEN 'stop' ELSE 'cancel' END, reason = left(later.message, ${REASON_CHARS}), answered_by = ${userId}::uuid,
      answered_at = now()
    FROM tasks later JOIN tasks asking ON asking.chat_id = later.chat_id
    WHERE later.id = ${taskId}::uuid AND asking.user_id = later.user_id AND asking.seq < later.seq AND asking.status = 'running'
      AND approvals.task_id = asking.id AND approvals.response IS NULL AND approvals.expires_at > now()
      AND approvals.created_at < later.created_at
    RETURNING approvals.task_id AS "taskId", approvals.id AS "approvalId", approvals.tool
  `);
  return result.rows;
}

/** Whether a task has a pending approval. */
export async function isAsking(db: Db, taskId: string): Promise<boolean> {
  const open = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.taskId, taskId), isNull(approvals.response), gt(approvals.expiresAt, sql`now()`)))
    .limit(1);
  return open.length > 0;
}

/** Tasks whose approval was answered a while ago: each may have lost the queue message that resumes it. */
export function answeredTasks(db: Db, limit: number) {
  return db
    .selectDistinct({ id: tasks.id, userId: tasks.userId })
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

/** Approvals of all projects that are returned when no limit is given. */
export const MOST_APPROVALS = 100;

const isPending = and(
  eq(tasks.status, "running"),
  isNull(approvals.response),
  gt(approvals.expiresAt, sql`now()`),
);

const asked = { approval: approvals, chatId: tasks.chatId, projectId: tasks.projectId };

/** Approvals after another one, at most `limit`; the other one need not exist. */
export interface ApprovalPage {
  limit?: number | undefined;
  after?: string | undefined;
}

/** Pending approvals of a project's chats, or of one chat, oldest first. */
export function openApprovals(
  db: Db,
  of: { projectId?: string | undefined; chatId?: string | undefined },
  { limit, after }: ApprovalPage = {},
) {
  const found = db
    .select(asked)
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .where(
      and(
        of.projectId === undefined ? undefined : eq(tasks.projectId, of.projectId),
        of.chatId === undefined ? undefined : eq(tasks.chatId, of.chatId),
        after === undefined ? undefined : gt(approvals.id, after),
        isPending,
      ),
    )
    .orderBy(approvals.id);
  return limit === undefined ? found : found.limit(limit);
}

/**
 * Pending approvals in all projects in which a person may answer them, oldest first; for a bound key only in its projects.
 * For superusers, too, these are projects of their own teams. The projects in which an agent is at work are found first,
 * by indexes that hold unfinished tasks alone, and the role is looked up for those.
 */
export function openApprovalsFor(
  db: Db,
  viewer: Viewer & { userId: string },
  projectIds: readonly string[] | null,
  { limit, after }: ApprovalPage,
) {
  const { userId } = viewer;
  const only = projectIds
    ? sql`AND of_person.id IN (SELECT value::uuid FROM jsonb_array_elements_text(${JSON.stringify(projectIds)}::jsonb) AS value)`
    : sql``;
  // Without OFFSET the planner would look up the role before it looks for unfinished tasks.
  const reachable = sql`
    SELECT projects.id FROM (
      SELECT of_person.* FROM projects AS of_person
      WHERE of_person.id IN (
          SELECT in_team.id FROM team_memberships AS part JOIN projects AS in_team ON in_team.team_id = part.team_id
          WHERE part.user_id = ${userId}::uuid
          UNION SELECT part.project_id FROM project_memberships AS part WHERE part.user_id = ${userId}::uuid
        ) ${only}
        AND of_person.id IN (SELECT at_work.project_id FROM tasks AS at_work WHERE at_work.status IN ('queued', 'running'))
      OFFSET 0
    ) AS projects
    WHERE ${roleInProject(viewer)} IN (${sql.join(
      rolesGranting("chat.send").map((role) => sql`${role}`),
      sql`, `,
    )})`;
  return db
    .select(asked)
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .where(
      and(
        sql`${tasks.projectId} = ANY (ARRAY(${reachable}))`,
        after === undefined ? undefined : gt(approvals.id, after),
        isPending,
      ),
    )
    .orderBy(approvals.id)
    .limit(limit ?? MOST_APPROVALS);
}
