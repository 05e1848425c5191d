import { and, eq, lt, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { idempotencyKeys, messageKeys, tasks } from "#src/db/schema/index.ts";
import {
  keyThatMay,
  rolesGranting,
  teamOfApp,
  type Role,
  type Scope,
} from "#src/domain/access/permissions/index.ts";
import { isEntitled, isPromptSecret } from "#src/domain/organisations/library/index.ts";
import { isFunded, isOfPlatform } from "#src/domain/metering/credits/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import { isLimited, type AgentLimits, type Exceeded } from "../agent-limits.ts";
import type { EditMode } from "../edit-mode.ts";
import type { NewTask } from "../new-task.ts";
import { exceededLimit } from "./room.ts";
import { hasTurn } from "./chat-order.ts";
import { titleOfMessage } from "../title-of-message.ts";

/** The permission needed in the project to start a task. */
export const STARTING: Scope = "chat.send";

/** Defaults when neither the request nor the chat sets a value, and the models that cost credits. */
interface Defaults {
  agentId: string;
  model: string;
  /** Models that the platform pays for. */
  platformModels: readonly string[];
  editMode: EditMode;
}

interface Outcome extends Record<string, unknown> {
  /** Whether a person sends it, or a key that may start a task there. */
  mayAct: boolean;
  /** The user's role in the project; null if the user cannot see such a project. */
  role: Role | null;
  agent: boolean;
  chatId: string | null;
  attachments: boolean;
  funded: boolean;
  /** The chosen model, if it may not get the agent's prompt. */
  refusedModel: string | null;
  exceeded: Exceeded | null;
  started: boolean;
  /** The unfinished task right before this one in the chat; null when this one has the turn at once. */
  before: string | null;
}

/**
 * Stores a task in one statement: it claims the idempotency key, chooses or creates the chat, takes the chat's next
 * sequence number, stores the message and queues the task. The lock on the chat's row decides the order of messages and
 * which task has the turn. That row is read after the lock, independent of the statement's snapshot. If something is
 * missing (project, agent, chat, attachments, credits, a fitting model, room, the claim), the statement returns what, and writes nothing.
 * With limits, person and project are locked first, in that order and in the same round trip, so that two concurrent
 * requests cannot both take the last place.
 */
export async function insertTask(db: Db, task: NewTask, defaults: Defaults, limits: AgentLimits) {
  const insertion = insertionUnder(limits, defaults.platformModels)(db, valuesOf(task, defaults));
  if (!isLimited(limits)) return (await insertion).rows[0];
  const [, inserted] = await db.batch([
    lockNames(db, [`agents-of-user:${task.userId}`, `agents-of-project:${task.projectId}`]),
    insertion,
  ]);
  return inserted.rows[0];
}

/** The values that differ between tasks. */
function valuesOf(task: NewTask, defaults: Defaults) {
  const { idempotency: claim, chat, scopes = null, attachmentIds = [] } = task;
  return {
    id: task.id,
    userId: task.userId,
    isSuperuser: task.isSuperuser ?? false,
    apiKeyId: task.apiKeyId ?? null,
    projectId: task.projectId,
    chatKind: chat.kind,
    namedChatId: chat.kind === "named" ? chat.id : null,
    newChatId: task.newChatId,
    messageId: task.messageId,
    origin: task.origin,
    title: task.title ?? titleOf(task),
    isTitled: task.title !== undefined,
    message: task.message,
    source: JSON.stringify(task.source),
    metadata: task.messageMetadata === null ? null : JSON.stringify(task.messageMetadata),
    attachmentIds: JSON.stringify(attachmentIds),
    attachments: attachmentIds.length,
    scopes: scopes === null ? null : JSON.stringify(scopes),
    agentId: task.agentId ?? null,
    defaultAgentId: defaults.agentId,
    model: task.model ?? null,
    defaultModel: defaults.model,
    editMode: task.editMode ?? null,
    defaultEditMode: defaults.editMode,
    maxIterations: task.maxIterations ?? null,
    webhookUrl: task.webhookUrl ?? null,
    isClaimed: claim !== undefined,
    claimKey: claim?.key ?? null,
    requestHash: claim?.requestHash ?? null,
  };
}

type InsertionValues = ReturnType<typeof valuesOf>;
type InsertionSlots = { [Name in keyof InsertionValues]: Slot<InsertionValues[Name]> };

/** Keyed by what the statement's text depends on; both are settings of the installation. */
const insertions = new Map<string, ReturnType<typeof newInsertion>>();

function insertionUnder(limits: AgentLimits, platformModels: readonly string[]) {
  const { USER_MAX_CONCURRENT_AGENTS, PROJECT_MAX_CONCURRENT_AGENTS, USER_ENQUEUE_RATE_PER_10S } = limits;
  const key = JSON.stringify([
    USER_MAX_CONCURRENT_AGENTS,
    PROJECT_MAX_CONCURRENT_AGENTS,
    USER_ENQUEUE_RATE_PER_10S,
    platformModels,
  ]);
  const insertion = insertions.get(key) ?? newInsertion(limits, platformModels);
  insertions.set(key, insertion);
  return insertion;
}

const newInsertion = (limits: AgentLimits, platformModels: readonly string[]) =>
  statement((db, task: InsertionSlots) => db.execute<Outcome>(insertionOf(task, limits, platformModels)));

function insertionOf(task: InsertionSlots, limits: AgentLimits, platformModels: readonly string[]): SQL {
  const keyId = sql`${task.apiKeyId}`;
  const viewer = {
    userId: sql`${task.userId}`,
    isSuperuser: sql`${task.isSuperuser}`,
    teamId: teamOfApp(keyId),
  };
  const mayAct = sql`(${keyId}::uuid IS NULL OR EXISTS (SELECT 1 FROM api_key))`;
  return sql`
    WITH api_key AS (${keyThatMay(STARTING, { keyId, projectId: sql`${task.projectId}` })}), project AS (
      SELECT projects.id, projects.team_id, ${roleInProject(viewer)} AS role FROM projects
      WHERE projects.id = ${task.projectId}::uuid AND ${mayAct}
    ), chat AS (
      SELECT c.id, c.agent_id, c.model,
        -- What the owner of a shared chat lets the agent do without a question counts for the owner's tasks alone.
        CASE WHEN c.user_id = ${task.userId}::uuid OR c.edit_mode <> 'allow' THEN c.edit_mode END AS edit_mode
      FROM chats c JOIN project ON project.id = c.project_id
      WHERE CASE ${task.chatKind}::text
        WHEN 'named' THEN c.id = ${task.namedChatId}::uuid AND ${mayWrite(sql`c`, task)}
        WHEN 'latest' THEN c.user_id = ${task.userId}::uuid AND c.origin = ${task.origin}::text AND c.status = 'active'
        ELSE false END
      ORDER BY coalesce(c.updated_at, c.created_at) DESC, c.id DESC LIMIT 1
    ), agent AS (
      SELECT agents.id, agents.model,
        ${isPromptSecret({ teamId: sql`project.team_id`, userId: sql`${task.userId}::uuid` })} AS is_secret
      FROM agents, project
      WHERE agents.is_active AND ${isEntitled(sql`project.team_id`)}
        AND agents.id IN (
          SELECT unnest(CASE WHEN ${task.agentId}::uuid IS NULL
            THEN ARRAY[(SELECT agent_id FROM chat), ${agentOfKey(task.apiKeyId)}, ${task.defaultAgentId}::uuid]
            ELSE ARRAY[${task.agentId}::uuid] END))
      ORDER BY agents.id = (SELECT agent_id FROM chat) DESC NULLS LAST, agents.id = ${task.defaultAgentId}::uuid LIMIT 1
    ), chosen AS (
      SELECT project.id AS project_id, project.team_id, project.role, agent.id AS agent_id,
        CASE WHEN ${task.chatKind}::text = 'named' THEN (SELECT id FROM chat)
          ELSE coalesce((SELECT id FROM chat), ${task.newChatId}::uuid) END AS chat_id,
        agent.is_secret,
        coalesce(${task.model}::text, (SELECT model FROM chat), (
          SELECT model FROM agent_models
          WHERE user_id = ${task.userId}::uuid AND agent_id = agent.id AND NOT agent.is_secret
        ), agent.model, ${task.defaultModel}::text) AS model,
        coalesce(${task.editMode}::text, (SELECT edit_mode FROM chat), ${task.defaultEditMode}::text) AS edit_mode
      FROM project, agent
    ), attachments AS (
      SELECT a.id FROM chat_attachments a JOIN chosen ON chosen.chat_id = a.chat_id
      WHERE a.id IN (SELECT value::uuid FROM jsonb_array_elements_text(${task.attachmentIds}::jsonb) AS value)
        AND a.user_id = ${task.userId}::uuid AND a.message_id IS NULL
    ), ready AS (
      SELECT chosen.*, ${isFunded(sql`chosen.model`, sql`chosen.team_id`, platformModels)} AS funded,
        NOT chosen.is_secret OR ${isOfPlatform(sql`chosen.model`, platformModels)} AS fitting,
        (SELECT count(*) FROM attachments) = ${task.attachments}::int AS attached
      FROM chosen
      WHERE chosen.role IN (${sql.join(rolesGranting(STARTING), sql`, `)}) AND chosen.chat_id IS NOT NULL
    ), exceeded AS (${exceededLimit(task, limits)}), admitted AS (
      SELECT * FROM ready WHERE funded AND fitting AND attached AND NOT EXISTS (SELECT 1 FROM exceeded)
    ), claim_of_key AS (
      INSERT INTO idempotency_keys (api_key_id, key, request_hash, task_id)
      SELECT ${task.apiKeyId}::uuid, ${task.claimKey}::text, ${task.requestHash}::text, ${task.id}::uuid
      FROM admitted WHERE ${task.isClaimed}::boolean AND ${task.apiKeyId}::uuid IS NOT NULL
      ON CONFLICT (api_key_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, task_id = excluded.task_id, created_at = now()
        WHERE idempotency_keys.created_at < now() - interval '24 hours'
      RETURNING task_id
    ), claim_of_person AS (
      INSERT INTO message_keys (user_id, key, request_hash, task_id)
      SELECT ${task.userId}::uuid, ${task.claimKey}::text, ${task.requestHash}::text, ${task.id}::uuid
      FROM admitted WHERE ${task.isClaimed}::boolean AND ${task.apiKeyId}::uuid IS NULL
      ON CONFLICT (user_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, task_id = excluded.task_id, created_at = now()
        WHERE message_keys.created_at < now() - interval '24 hours'
      RETURNING task_id
    ), go AS (
      SELECT * FROM admitted WHERE NOT ${task.isClaimed}::boolean
        OR EXISTS (SELECT 1 FROM claim_of_key) OR EXISTS (SELECT 1 FROM claim_of_person)
    ), new_chat AS (
      INSERT INTO chats (id, user_id, project_id, title, is_titled, origin, status, last_seq, unfinished_tasks)
      SELECT chat_id, ${task.userId}::uuid, project_id, ${task.title}::text, ${task.isTitled}::boolean, ${task.origin}::text, 'active', 1,
        ARRAY[${task.id}::uuid]
      FROM go WHERE chat_id = ${task.newChatId}::uuid
      RETURNING last_seq, unfinished_tasks
    ), old_chat AS (
      UPDATE chats SET updated_at = now(), status = 'active', last_seq = last_seq + 1,
        unfinished_tasks = unfinished_tasks || ${task.id}::uuid
      -- Looked at again under the lock: the chat may not be shared any more.
      FROM go WHERE chats.id = go.chat_id AND ${mayWrite(sql`chats`, task)}
      RETURNING last_seq, unfinished_tasks
    ), place AS (
      SELECT last_seq AS seq, unfinished_tasks[cardinality(unfinished_tasks) - 1] AS before
      FROM (SELECT * FROM new_chat UNION ALL SELECT * FROM old_chat) AS locked
    ), new_message AS (
      INSERT INTO messages (id, chat_id, seq, role, content, message_metadata, task_id)
      SELECT ${task.messageId}::uuid, chat_id, seq, 'user', ${task.message}::text,
        ${task.metadata}::jsonb, ${task.id}::uuid
      FROM go, place
      RETURNING id
    ), bound AS (
      UPDATE chat_attachments SET message_id = new_message.id FROM attachments, new_message
      WHERE chat_attachments.id = attachments.id
    ), new_task AS (
      INSERT INTO tasks (id, user_id, project_id, chat_id, seq, agent_id, api_key_id, scopes, origin, source, message,
        model, edit_mode, max_iterations, status, webhook_url)
      SELECT ${task.id}::uuid, ${task.userId}::uuid, project_id, CASE WHEN seq IS NULL THEN ${task.id}::uuid ELSE chat_id END,
        coalesce(seq, 0), agent_id, ${task.apiKeyId}::uuid,
        ${textArray(task.scopes)}, ${task.origin}::text, ${task.source}::jsonb,
        ${task.message}::text, model, edit_mode,
        ${task.maxIterations}::int, 'queued', ${task.webhookUrl}::text
      -- A chat that was deleted or unshared meanwhile has no row to lock. The task's id is no chat's: the foreign key then
      -- refuses the whole statement.
      FROM go LEFT JOIN place ON true
      RETURNING id
    ), activity AS (
      UPDATE projects SET last_activity = now(), idle_warned_at = NULL FROM go WHERE projects.id = go.project_id
    )
    SELECT ${mayAct} AS "mayAct", (SELECT role FROM project) AS role, EXISTS (SELECT 1 FROM agent) AS agent,
      (SELECT chat_id FROM chosen) AS "chatId", coalesce((SELECT attached FROM ready), true) AS attachments,
      coalesce((SELECT funded FROM ready), true) AS funded,
      (SELECT model FROM ready WHERE NOT fitting) AS "refusedModel", (SELECT row_to_json(exceeded) FROM exceeded) AS exceeded,
      EXISTS (SELECT 1 FROM new_task) AS started, (SELECT before FROM place) AS before`;
}

/** SQL condition: whether a chat is the sender's own, or shared with the members of the project. */
function mayWrite(chat: SQL, task: Pick<InsertionSlots, "userId" | "isSuperuser">): SQL {
  return sql`(${chat}.user_id = ${task.userId}::uuid OR (${chat}.is_shared AND NOT ${task.isSuperuser}::boolean))`;
}

function titleOf({ origin, message }: NewTask): string {
  const title = titleOfMessage(message);
  if (origin === "browser" || origin === "standalone") return title;
  return origin === "api" ? `API: ${title}` : `[${origin}] ${title}`;
}

/** SQL value: the agent that a key names. */
function agentOfKey(apiKeyId: Slot<string | null>): SQL {
  return sql`(SELECT agent_id FROM external_api_keys WHERE id = ${apiKeyId}::uuid)`;
}

/**
 * The task of an idempotency key, whether it has its chat's turn, and the hash of the request that claimed the key. The
 * keys of an API key, and those of a person, are their own.
 */
export async function findClaimedTask(
  db: Db,
  { userId, apiKeyId }: { userId: string; apiKeyId: string | null },
  key: string,
) {
  const claims = apiKeyId === null ? messageKeys : idempotencyKeys;
  const isCallers =
    apiKeyId === null ? eq(messageKeys.userId, userId) : eq(idempotencyKeys.apiKeyId, apiKeyId);
  const [row] = await db
    .select({ requestHash: claims.requestHash, task: tasks, hasTurn })
    .from(claims)
    .innerJoin(tasks, eq(tasks.id, claims.taskId))
    .where(and(isCallers, eq(claims.key, key)));
  return row;
}

export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  for (const claims of [idempotencyKeys, messageKeys]) {
    await db.delete(claims).where(lt(claims.createdAt, sql`now() - interval '25 hours'`));
  }
}

/** A JSON list of texts as an SQL array; null stays null. */
function textArray(json: Slot<string | null>): SQL {
  return sql`CASE WHEN ${json}::text IS NOT NULL THEN
    (SELECT coalesce(array_agg(value), '{}') FROM jsonb_array_elements_text(${json}::jsonb) AS value) END`;
}
