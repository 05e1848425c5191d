import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import {
  agents,
  callbackAttempts,
  externalApiKeys,
  idempotencyKeys,
  messages,
  projects,
  tasks,
  taskSteps,
  users,
} from "#src/db/schema/index.ts";
import { rolesGranting, type Role, type Scope } from "#src/domain/access/index.ts";
import { roleInProject } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { NewTask } from "./start-task.ts";
import type { Task, TaskStatus } from "./task.ts";
import type { Checkpoint } from "./steps.ts";

/** Messages of the chat that are shown to the model before the current one. */
const HISTORY_ROWS = 20;

/** What whoever starts a task needs in its project. */
export const STARTING: Scope = "chat.send";

/**
 * One statement: claim the idempotency key, make the chat if it is new, store the message, queue the task. What is
 * missing (project, agent, chat, the claim) is answered, and then nothing at all has been written. `role` is the user's in
 * the project; null where there is no such project for the user.
 */
export async function insertTask(db: Db, task: NewTask) {
  const { idempotency: claim } = task;
  const result = await db.execute<{
    role: Role | null;
    agent: boolean;
    chat: boolean;
    started: boolean;
  }>(sql`
    WITH project AS (
      SELECT projects.id, ${roleInProject(task)} AS role FROM projects
      WHERE projects.id = ${task.projectId}::uuid
        AND (${task.teamId}::uuid IS NULL OR projects.team_id = ${task.teamId}::uuid)
    ), agent AS (
      SELECT id FROM agents WHERE id = ${task.agentId}::uuid AND is_active
    ), chat AS (
      SELECT c.id FROM chats c JOIN project ON project.id = c.project_id
      WHERE c.id = ${task.chatId}::uuid AND c.user_id = ${task.userId}::uuid
    ), ready AS (
      SELECT project.id AS project_id FROM project, agent
      WHERE project.role IN (${sql.join(rolesGranting(STARTING), sql`, `)})
        AND (${task.newChat}::boolean OR EXISTS (SELECT 1 FROM chat))
    ), claim AS (
      INSERT INTO idempotency_keys (api_key_id, key, request_hash, task_id)
      SELECT ${task.apiKeyId}::uuid, ${claim?.key ?? null}::text, ${claim?.requestHash ?? null}::text, ${task.id}::uuid
      FROM ready WHERE ${claim !== undefined}::boolean
      ON CONFLICT (api_key_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, task_id = excluded.task_id, created_at = now()
        WHERE idempotency_keys.created_at < now() - interval '24 hours'
      RETURNING task_id
    ), go AS (
      SELECT project_id FROM ready WHERE ${claim === undefined}::boolean OR EXISTS (SELECT 1 FROM claim)
    ), new_chat AS (
      INSERT INTO chats (id, user_id, project_id, title, origin, status)
      SELECT ${task.chatId}::uuid, ${task.userId}::uuid, project_id, ${task.chatTitle}::text, ${task.origin}::text, 'active'
      FROM go WHERE ${task.newChat}::boolean
    ), new_message AS (
      INSERT INTO messages (id, chat_id, role, content, task_id)
      SELECT ${newId()}::uuid, ${task.chatId}::uuid, 'user', ${task.message}::text, ${task.id}::uuid FROM go
    ), new_task AS (
      INSERT INTO tasks (id, user_id, project_id, chat_id, agent_id, api_key_id, scopes, origin, message, status, webhook_url)
      SELECT ${task.id}::uuid, ${task.userId}::uuid, project_id, ${task.chatId}::uuid, ${task.agentId}::uuid,
        ${task.apiKeyId}::uuid, ${textArray(task.scopes)}, ${task.origin}::text, ${task.message}::text, 'queued',
        ${task.webhookUrl}::text
      FROM go
      RETURNING id
    ), activity AS (
      UPDATE projects SET last_activity = now(), idle_warned_at = NULL FROM go WHERE projects.id = go.project_id
    )
    SELECT (SELECT role FROM project) AS role, EXISTS (SELECT 1 FROM agent) AS agent,
      ${task.newChat}::boolean OR EXISTS (SELECT 1 FROM chat) AS chat,
      EXISTS (SELECT 1 FROM new_task) AS started
  `);
  return result.rows[0];
}

/** The task an idempotency key stands for, with the hash of the request that claimed it. */
export async function findClaimedTask(db: Db, apiKeyId: string, key: string) {
  const [row] = await db
    .select({ requestHash: idempotencyKeys.requestHash, task: tasks })
    .from(idempotencyKeys)
    .innerJoin(tasks, eq(tasks.id, idempotencyKeys.taskId))
    .where(and(eq(idempotencyKeys.apiKeyId, apiKeyId), eq(idempotencyKeys.key, key)));
  return row;
}

export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, sql`now() - interval '25 hours'`));
}

export function taskById(db: Db, taskId: string) {
  return db.select().from(tasks).where(eq(tasks.id, taskId));
}

/** A task, the team of its project, and what the user who started it is in that project by now (null for nothing). */
export function taskWithRole(db: Db, taskId: string) {
  return db
    .select({
      task: tasks,
      teamId: projects.teamId,
      role: roleInProject({ userId: sql`tasks.user_id`, isSuperuser: false }),
    })
    .from(tasks)
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, taskId));
}

export function attemptsOfTask(db: Db, taskId: string) {
  return db
    .select()
    .from(callbackAttempts)
    .where(eq(callbackAttempts.taskId, taskId))
    .orderBy(asc(callbackAttempts.attempt));
}

/**
 * What places a message in its chat: the task it belongs to. A message that came while another task ran is older than
 * that task's answer, and yet follows it. Within a task `assistant` sorts before `user`, as newest first wants it.
 */
const turnOf = sql`coalesce(${messages.taskId}, ${messages.id})`;

/**
 * Take the task for a generation of executor and read all a turn needs, in one trip. No `claimed` row means that the
 * task is over, belongs to a newer generation, or is gone; `current` tells which.
 */
export async function claimTask(db: Db, taskId: string, generation: number) {
  const [claimed, current, steps, history] = await db.batch([
    db
      .update(tasks)
      .set({ generation, status: "running", startedAt: sql`coalesce(${tasks.startedAt}, now())` })
      .where(
        and(
          eq(tasks.id, taskId),
          lt(tasks.generation, generation),
          inArray(tasks.status, ["queued", "running"]),
        ),
      )
      .returning({ id: tasks.id }),
    db
      .select({ task: tasks, project: projects, agent: agents, userName: users.name })
      .from(tasks)
      .innerJoin(projects, eq(projects.id, tasks.projectId))
      .innerJoin(agents, eq(agents.id, tasks.agentId))
      .innerJoin(users, eq(users.id, tasks.userId))
      .where(eq(tasks.id, taskId)),
    db
      .select({ stepIndex: taskSteps.stepIndex, stepData: taskSteps.stepData })
      .from(taskSteps)
      .where(eq(taskSteps.taskId, taskId))
      .orderBy(asc(taskSteps.stepIndex)),
    db
      .select({ role: messages.role, content: messages.content })
      .from(messages)
      .where(
        and(
          eq(messages.chatId, sql`(SELECT chat_id FROM tasks WHERE id = ${taskId}::uuid)`),
          sql`${turnOf} < ${taskId}::uuid`,
        ),
      )
      .orderBy(desc(turnOf), asc(messages.role))
      .limit(HISTORY_ROWS),
  ]);
  return { claimed: claimed.length > 0, current: current[0], steps, history: history.toReversed() };
}

export type ClaimedTask = NonNullable<Awaited<ReturnType<typeof claimTask>>["current"]>;

/** Store a turn, unless a newer generation has the task or it is over. Answers whether it was stored. */
export async function storeTurn(db: Db, checkpoint: Checkpoint): Promise<boolean> {
  const result = await db.execute(sql`
    WITH fenced AS (
      UPDATE tasks SET iterations = ${checkpoint.iterations}::int, tool_calls = ${checkpoint.toolCalls}::int
      WHERE id = ${checkpoint.taskId}::uuid AND generation = ${checkpoint.generation}::int AND status = 'running'
      RETURNING id, user_id, project_id
    ) ${turnRows(checkpoint)}
    SELECT id FROM fenced
  `);
  return result.rows.length > 0;
}

/**
 * End the task, in one conditional statement with its last turn, its assistant message and its chat. Answers what follows
 * from the end; nothing when this call did not end it: an earlier one may have, or a newer generation may have it.
 */
export async function endTask(
  db: Db,
  checkpoint: Checkpoint,
  end: {
    status: TaskStatus;
    response: string | null;
    completionReason: string;
    error: string | null;
  },
): Promise<Pick<Task, "chatId" | "callbackStatus"> | undefined> {
  const result = await db.execute<{ chatId: string; callbackStatus: Task["callbackStatus"] }>(sql`
    WITH fenced AS (
      UPDATE tasks SET
        iterations = ${checkpoint.iterations}::int, tool_calls = ${checkpoint.toolCalls}::int,
        generation = ${checkpoint.generation}::int,
        status = ${end.status}::text, response = ${end.response}::text,
        completion_reason = ${end.completionReason}::text, error = ${end.error}::text,
        completed_at = now(), started_at = coalesce(started_at, now()),
        callback_status = CASE WHEN webhook_url IS NULL THEN 'none' ELSE 'pending' END
      WHERE id = ${checkpoint.taskId}::uuid AND generation <= ${checkpoint.generation}::int
        AND status IN ('queued', 'running')
      RETURNING id, user_id, project_id, chat_id, callback_status, response, error, completion_reason, iterations,
        tool_calls
    ) ${turnRows(checkpoint)}, answer AS (
      INSERT INTO messages (id, chat_id, role, content, message_metadata, task_id)
      SELECT ${newId()}::uuid, chat_id, 'assistant', coalesce(response, ''), jsonb_build_object(
        'agent_mode', true, 'task_id', id, 'iterations', iterations, 'tool_calls_made', tool_calls,
        'completion_reason', completion_reason, 'error', error), id
      FROM fenced ON CONFLICT DO NOTHING
    ), chat AS (
      UPDATE chats SET updated_at = now() FROM fenced WHERE chats.id = fenced.chat_id
    )
    SELECT chat_id AS "chatId", callback_status AS "callbackStatus" FROM fenced
  `);
  return result.rows[0];
}

/** The step and usage rows of a checkpoint, as further parts of its WITH list. */
function turnRows({ step, usage, iterations }: Checkpoint): SQL {
  const parts: SQL[] = [];
  if (step) {
    parts.push(sql`, step AS (
      INSERT INTO task_steps (id, task_id, step_index, step_data)
      SELECT ${newId()}::uuid, id, ${iterations}::int, ${JSON.stringify(step)}::jsonb FROM fenced ON CONFLICT DO NOTHING
    )`);
  }
  if (usage) {
    parts.push(sql`, usage AS (
      INSERT INTO usage_logs (id, user_id, project_id, task_id, iteration, provider, model, input_tokens, output_tokens,
        cached_input_tokens, cache_write_tokens, billed_status)
      SELECT ${newId()}::uuid, user_id, project_id, id, ${iterations}::int, ${usage.provider}::text, ${usage.model}::text,
        ${usage.inputTokens}::int, ${usage.outputTokens}::int, ${usage.cachedInputTokens}::int,
        ${usage.cacheWriteTokens}::int, 'platform'
      FROM fenced ON CONFLICT DO NOTHING
    )`);
  }
  return sql.join(parts, sql``);
}

/** Tasks that are queued for longer than a launch takes: each may have lost its launch. Oldest first. */
export function staleQueuedTasks(db: Db, limit: number) {
  return db
    .select()
    .from(tasks)
    .where(and(eq(tasks.status, "queued"), lt(tasks.createdAt, sql`now() - interval '30 seconds'`)))
    .orderBy(asc(tasks.createdAt))
    .limit(limit);
}

/** Revoked keys of which tasks go on, although there was time enough to end them. */
export function revokedKeysWithTasks(db: Db, limit: number) {
  return db
    .selectDistinct({ keyId: externalApiKeys.id })
    .from(tasks)
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, tasks.apiKeyId))
    .where(
      and(
        inArray(tasks.status, ["queued", "running"]),
        lt(externalApiKeys.revokedAt, sql`now() - interval '30 seconds'`),
      ),
    )
    .limit(limit);
}

export function unfinishedTasksOfKey(db: Db, apiKeyId: string) {
  return db
    .select()
    .from(tasks)
    .where(and(eq(tasks.apiKeyId, apiKeyId), inArray(tasks.status, ["queued", "running"])));
}

export interface TaskFilter {
  userId: string;
  /** Only tasks of this team's projects. */
  teamId: string;
  /** Projects a key is bound to; null for all. */
  projectIds: readonly string[] | null;
  statuses: readonly TaskStatus[] | null;
  projectId: string | null;
  since: Date | null;
}

/** A page of tasks, newest first, and how many there are in all. */
export async function pageOfTasks(db: Db, filter: TaskFilter, page: { limit: number; offset: number }) {
  const { userId, teamId } = filter;
  const reachable = db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.teamId, teamId), isNotNull(roleInProject({ userId, isSuperuser: false }))));
  const where = and(
    eq(tasks.userId, userId),
    inArray(tasks.projectId, reachable),
    filter.projectIds ? inArray(tasks.projectId, [...filter.projectIds]) : undefined,
    filter.statuses ? inArray(tasks.status, [...filter.statuses]) : undefined,
    filter.projectId ? eq(tasks.projectId, filter.projectId) : undefined,
    filter.since ? gt(tasks.createdAt, filter.since) : undefined,
  );
  const [items, [total]] = await db.batch([
    db.select().from(tasks).where(where).orderBy(desc(tasks.id)).limit(page.limit).offset(page.offset),
    db.select({ total: count() }).from(tasks).where(where),
  ]);
  return { items, total: total?.total ?? 0 };
}

export async function pageOfSteps(db: Db, taskId: string, page: { limit: number; offset: number }) {
  const [items, [total]] = await db.batch([
    db
      .select()
      .from(taskSteps)
      .where(eq(taskSteps.taskId, taskId))
      .orderBy(asc(taskSteps.stepIndex))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(taskSteps).where(eq(taskSteps.taskId, taskId)),
  ]);
  return { items, total: total?.total ?? 0 };
}

function textArray(values: readonly string[] | null): SQL {
  if (values === null) return sql`NULL::text[]`;
  return sql`(SELECT coalesce(array_agg(value), '{}') FROM jsonb_array_elements_text(${JSON.stringify(values)}::jsonb) AS value)`;
}
