import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import {
  agents,
  callbackAttempts,
  chats,
  externalApiKeys,
  idempotencyKeys,
  messages,
  projects,
  tasks,
  taskSteps,
  teams,
  users,
} from "#src/db/schema/index.ts";
import { rolesGranting, type Role, type Scope } from "#src/domain/access/index.ts";
import { roleInProject } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newId } from "#src/lib/ids.ts";
import { isFunded } from "#src/domain/credits/index.ts";
import { callParts, type Charged } from "#src/domain/usage/index.ts";
import type { EditMode } from "./edit-mode.ts";
import type { NewTask } from "./start-task.ts";
import type { Task, TaskStatus } from "./task.ts";
import type { Checkpoint } from "./steps.ts";

/** Messages of the chat that are shown to the model before the current one. */
const HISTORY_ROWS = 20;

/** What whoever starts a task needs in its project. */
export const STARTING: Scope = "chat.send";

/** What holds where neither the request nor the chat says anything. */
interface Defaults {
  agentId: string;
  model: string;
  editMode: EditMode;
}

/**
 * One statement: claim the idempotency key, choose or make the chat, store the message, queue the task. What is missing
 * (project, agent, chat, attachments, credits, the claim) is answered, and then nothing at all has been written. `role` is
 * the user's in the project; null where there is no such project for the user.
 */
export async function insertTask(db: Db, task: NewTask, defaults: Defaults) {
  const { idempotency: claim, chat } = task;
  const named = chat.kind === "named" ? chat.id : null;
  const result = await db.execute<{
    role: Role | null;
    agent: boolean;
    chatId: string | null;
    attachments: boolean;
    funded: boolean;
    started: boolean;
  }>(sql`
    WITH project AS (
      SELECT projects.id, projects.team_id, ${roleInProject(task)} AS role FROM projects
      WHERE projects.id = ${task.projectId}::uuid
        AND (${task.teamId}::uuid IS NULL OR projects.team_id = ${task.teamId}::uuid)
    ), chat AS (
      SELECT c.id, c.agent_id, c.model, c.edit_mode FROM chats c JOIN project ON project.id = c.project_id
      WHERE c.user_id = ${task.userId}::uuid AND CASE ${chat.kind}::text
        WHEN 'named' THEN c.id = ${named}::uuid
        WHEN 'latest' THEN c.origin = ${task.origin}::text AND c.status = 'active'
        ELSE false END
      ORDER BY coalesce(c.updated_at, c.created_at) DESC, c.id DESC LIMIT 1
    ), agent AS (
      SELECT agents.id, agents.model FROM agents, project
      WHERE agents.is_active AND (agents.team_id IS NULL OR agents.team_id = project.team_id)
        AND agents.id IN (
          SELECT unnest(CASE WHEN ${task.agentId ?? null}::uuid IS NULL
            THEN ARRAY[(SELECT agent_id FROM chat), ${agentOfKey(task.apiKeyId)}, ${defaults.agentId}::uuid]
            ELSE ARRAY[${task.agentId ?? null}::uuid] END))
      ORDER BY agents.id = (SELECT agent_id FROM chat) DESC NULLS LAST, agents.id = ${defaults.agentId}::uuid LIMIT 1
    ), chosen AS (
      SELECT project.id AS project_id, project.team_id, project.role, agent.id AS agent_id,
        CASE WHEN ${chat.kind}::text = 'named' THEN (SELECT id FROM chat)
          ELSE coalesce((SELECT id FROM chat), ${task.newChatId}::uuid) END AS chat_id,
        coalesce(${task.model ?? null}::text, (SELECT model FROM chat), agent.model, ${defaults.model}::text) AS model,
        coalesce(${task.editMode ?? null}::text, (SELECT edit_mode FROM chat), ${defaults.editMode}::text) AS edit_mode
      FROM project, agent
    ), attachments AS (
      SELECT a.id FROM chat_attachments a JOIN chosen ON chosen.chat_id = a.chat_id
      WHERE a.id IN (SELECT value::uuid FROM jsonb_array_elements_text(${JSON.stringify(task.attachmentIds)}::jsonb) AS value)
        AND a.user_id = ${task.userId}::uuid AND a.message_id IS NULL
    ), ready AS (
      SELECT chosen.*, ${isFunded(sql`chosen.model`, sql`chosen.team_id`, defaults.model)} AS funded,
        (SELECT count(*) FROM attachments) = ${task.attachmentIds.length}::int AS attached
      FROM chosen
      WHERE chosen.role IN (${sql.join(rolesGranting(STARTING), sql`, `)}) AND chosen.chat_id IS NOT NULL
    ), claim AS (
      INSERT INTO idempotency_keys (api_key_id, key, request_hash, task_id)
      SELECT ${task.apiKeyId}::uuid, ${claim?.key ?? null}::text, ${claim?.requestHash ?? null}::text, ${task.id}::uuid
      FROM ready WHERE ${claim !== undefined}::boolean AND funded AND attached
      ON CONFLICT (api_key_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, task_id = excluded.task_id, created_at = now()
        WHERE idempotency_keys.created_at < now() - interval '24 hours'
      RETURNING task_id
    ), go AS (
      SELECT * FROM ready
      WHERE funded AND attached AND (${claim === undefined}::boolean OR EXISTS (SELECT 1 FROM claim))
    ), new_chat AS (
      INSERT INTO chats (id, user_id, project_id, title, origin, status)
      SELECT chat_id, ${task.userId}::uuid, project_id, ${titleOf(task)}::text, ${task.origin}::text, 'active'
      FROM go WHERE chat_id = ${task.newChatId}::uuid
    ), old_chat AS (
      UPDATE chats SET updated_at = now(), status = 'active' FROM go WHERE chats.id = go.chat_id
    ), new_message AS (
      INSERT INTO messages (id, chat_id, role, content, message_metadata, task_id)
      SELECT ${task.messageId}::uuid, chat_id, 'user', ${task.message}::text,
        ${task.messageMetadata === null ? null : JSON.stringify(task.messageMetadata)}::jsonb, ${task.id}::uuid FROM go
      RETURNING id
    ), bound AS (
      UPDATE chat_attachments SET message_id = new_message.id FROM attachments, new_message
      WHERE chat_attachments.id = attachments.id
    ), new_task AS (
      INSERT INTO tasks (id, user_id, project_id, chat_id, agent_id, api_key_id, scopes, origin, message, model, edit_mode,
        max_iterations, status, webhook_url)
      SELECT ${task.id}::uuid, ${task.userId}::uuid, project_id, chat_id, agent_id, ${task.apiKeyId}::uuid,
        ${textArray(task.scopes)}, ${task.origin}::text, ${task.message}::text, model, edit_mode,
        ${task.maxIterations ?? null}::int, 'queued', ${task.webhookUrl ?? null}::text
      FROM go
      RETURNING id
    ), activity AS (
      UPDATE projects SET last_activity = now(), idle_warned_at = NULL FROM go WHERE projects.id = go.project_id
    )
    SELECT (SELECT role FROM project) AS role, EXISTS (SELECT 1 FROM agent) AS agent,
      (SELECT chat_id FROM chosen) AS "chatId", coalesce((SELECT attached FROM ready), true) AS attachments,
      coalesce((SELECT funded FROM ready), true) AS funded, EXISTS (SELECT 1 FROM new_task) AS started
  `);
  return result.rows[0];
}

function titleOf({ origin, message }: NewTask): string {
  return origin === "api" ? `API: ${message.slice(0, 60)}` : message.slice(0, 60);
}

/** The agent a key names, as a value of SQL. */
function agentOfKey(apiKeyId: string | null): SQL {
  return sql`(SELECT agent_id FROM external_api_keys WHERE id = ${apiKeyId}::uuid)`;
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
      .select({
        task: tasks,
        project: projects,
        agent: agents,
        chat: {
          allowedTools: chats.allowedTools,
          isTitled: chats.isTitled,
          summary: chats.summary,
        },
        userName: users.name,
        disabledModels: teams.disabledModels,
        messageMetadata: sql<Record<string, unknown> | null>`(
          SELECT message_metadata FROM messages WHERE task_id = tasks.id AND role = 'user')`,
      })
      .from(tasks)
      .innerJoin(chats, eq(chats.id, tasks.chatId))
      .innerJoin(projects, eq(projects.id, tasks.projectId))
      .innerJoin(teams, eq(teams.id, projects.teamId))
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
          sql`${turnOf} > coalesce((SELECT c.summarized_through FROM chats c JOIN tasks t ON t.chat_id = c.id
            WHERE t.id = ${taskId}::uuid), '00000000-0000-0000-0000-000000000000'::uuid)`,
        ),
      )
      .orderBy(desc(turnOf), asc(messages.role))
      .limit(HISTORY_ROWS),
  ]);
  return { claimed: claimed.length > 0, current: current[0], steps, history: history.toReversed() };
}

export type ClaimedTask = NonNullable<Awaited<ReturnType<typeof claimTask>>["current"]>;

/** Store a turn, unless a newer generation has the task or it is over; then nothing is answered. */
export async function storeTurn(
  db: Db,
  checkpoint: Checkpoint,
): Promise<{ charged: Charged | undefined } | undefined> {
  const result = await db.execute<ChargedColumns>(sql`
    WITH fenced AS (
      UPDATE tasks SET iterations = ${checkpoint.iterations}::int, tool_calls = ${checkpoint.toolCalls}::int
      WHERE id = ${checkpoint.taskId}::uuid AND generation = ${checkpoint.generation}::int AND status = 'running'
      RETURNING id, user_id, project_id, agent_id
    ) ${turnRows(checkpoint)}
    SELECT charged.* FROM fenced LEFT JOIN charged ON true
  `);
  const [row] = result.rows;
  return row && { charged: toCharged(row) };
}

interface ChargedColumns extends Record<string, unknown> {
  usageId: string | null;
  cost: number | null;
  deducted: number | null;
  balance: number | null;
}

function toCharged({ usageId, cost, deducted, balance }: ChargedColumns): Charged | undefined {
  return usageId === null ? undefined : { usageId, cost: cost ?? 0, deducted: deducted ?? 0, balance };
}

/** Keep what the model is told instead of old turns, unless a newer generation has the task or it is over. */
export async function storeCompaction(
  db: Db,
  { taskId, generation }: Pick<Checkpoint, "taskId" | "generation">,
  compaction: Record<string, unknown>,
): Promise<boolean> {
  const stored = await db
    .update(tasks)
    .set({ compaction })
    .where(and(eq(tasks.id, taskId), eq(tasks.generation, generation), eq(tasks.status, "running")))
    .returning({ id: tasks.id });
  return stored.length > 0;
}

/** Give a chat its title, unless somebody has. Answers whether it was given. */
export async function titleChat(db: Db, chatId: string, title: string): Promise<boolean> {
  const titled = await db
    .update(chats)
    .set({ title, isTitled: true })
    .where(and(eq(chats.id, chatId), eq(chats.isTitled, false)))
    .returning({ id: chats.id });
  return titled.length > 0;
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
): Promise<(Pick<Task, "chatId" | "callbackStatus"> & { charged: Charged | undefined }) | undefined> {
  const result = await db.execute<
    ChargedColumns & { chatId: string; callbackStatus: Task["callbackStatus"] }
  >(sql`
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
      RETURNING id, user_id, project_id, agent_id, chat_id, callback_status, response, error, completion_reason, iterations,
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
    SELECT chat_id AS "chatId", callback_status AS "callbackStatus", charged.* FROM fenced LEFT JOIN charged ON true
  `);
  const [row] = result.rows;
  return row && { chatId: row.chatId, callbackStatus: row.callbackStatus, charged: toCharged(row) };
}

/** The step of a checkpoint, and `charged` for its model call, as further parts of its WITH list. */
function turnRows({ step, call, iterations }: Checkpoint): SQL {
  const stepRow = step
    ? sql`, step AS (
      INSERT INTO task_steps (id, task_id, step_index, step_data)
      SELECT ${newId()}::uuid, id, ${iterations}::int, ${JSON.stringify(step)}::jsonb FROM fenced ON CONFLICT DO NOTHING
    )`
    : sql``;
  if (!call) {
    const nothing = sql`NULL::uuid AS "usageId", NULL::int AS cost, NULL::int AS deducted, NULL::int AS balance`;
    return sql`${stepRow}, charged AS (SELECT ${nothing} WHERE false)`;
  }
  return sql`${stepRow}, billed AS (
      SELECT fenced.user_id, projects.team_id, fenced.project_id, fenced.agent_id, fenced.id AS task_id,
        ${iterations}::int AS iteration
      FROM fenced JOIN projects ON projects.id = fenced.project_id
    ), ${callParts(call)}`;
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
