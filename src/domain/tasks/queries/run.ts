import { and, asc, desc, eq, inArray, isNull, lt, sql, type SQL } from "drizzle-orm";
import { agents, chats, messages, projects, tasks, taskSteps, teams, users } from "#src/db/schema/index.ts";
import { adoptReservations } from "#src/domain/credits/index.ts";
import {
  callParts,
  noCallParts,
  valuesOfCall,
  type CallSlots,
  type Charged,
  type ModelCall,
} from "#src/domain/usage/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { ChatAccount, Checkpoint } from "../steps.ts";
import type { Task, TaskStatus } from "../task.ts";
import { hasAccess } from "./has-access.ts";
import { nextTask } from "./turn.ts";

/** Newest messages of the chat, since its account, that are read for the model; it is given an account long before. */
const HISTORY_ROWS = 200;

const takeTask = statement((db, { taskId, generation }: { taskId: Slot<string>; generation: Slot<number> }) =>
  db
    .update(tasks)
    .set({
      generation: sql`${generation}::int`,
      status: "running",
      startedAt: sql`coalesce(${tasks.startedAt}, now())`,
    })
    .where(
      and(
        eq(tasks.id, taskId),
        lt(tasks.generation, generation),
        inArray(tasks.status, ["queued", "running"]),
      ),
    )
    .returning({ id: tasks.id }),
);

type TaskId = Record<"taskId", Slot<string>>;

const currentTask = statement((db, { taskId }: TaskId) =>
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
      hasAccess: hasAccess(),
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
);

const stepsOf = statement((db, { taskId }: TaskId) =>
  db
    .select({ stepIndex: taskSteps.stepIndex, stepData: taskSteps.stepData })
    .from(taskSteps)
    .where(eq(taskSteps.taskId, taskId))
    .orderBy(asc(taskSteps.stepIndex)),
);

const historyBefore = statement((db, { taskId }: TaskId) =>
  db
    .select({
      seq: messages.seq,
      role: messages.role,
      content: messages.content,
      work: sql<string | null>`${messages.messageMetadata} ->> 'work'`,
    })
    .from(messages)
    .where(
      and(
        eq(messages.chatId, sql`(SELECT chat_id FROM tasks WHERE id = ${taskId}::uuid)`),
        sql`${messages.seq} < (SELECT seq FROM tasks WHERE id = ${taskId}::uuid)`,
        sql`${messages.seq} > coalesce((SELECT c.summarized_seq FROM chats c JOIN tasks t ON t.chat_id = c.id
          WHERE t.id = ${taskId}::uuid), 0)`,
      ),
    )
    // Question and answer share a sequence number.
    .orderBy(desc(messages.seq), asc(messages.role))
    .limit(HISTORY_ROWS),
);

/**
 * Take the task for a generation of executor, with what the one before it had reserved, and read all a turn needs, in one trip. No `claimed` row means that the
 * task is over, belongs to a newer generation, or is gone; `current` tells which.
 */
export async function claimTask(db: Db, taskId: string, generation: number) {
  const [claimed, current, steps, history] = await db.batch([
    takeTask(db, { taskId, generation }),
    currentTask(db, { taskId }),
    stepsOf(db, { taskId }),
    historyBefore(db, { taskId }),
    adoptReservations(db, { taskId }),
  ]);
  return { claimed: claimed.length > 0, current: current[0], steps, history: history.toReversed() };
}

export type ClaimedTask = NonNullable<Awaited<ReturnType<typeof claimTask>>["current"]>;

/**
 * Store a turn, unless a newer generation has the task or it is over; then nothing is answered. `hasAccess` tells whether
 * whoever started the task may still have another turn.
 */
export async function storeTurn(
  db: Db,
  checkpoint: Checkpoint,
): Promise<{ charged: Charged | undefined; hasAccess: boolean } | undefined> {
  const result = await storing[partsOf(checkpoint)](db, valuesOfTurn(checkpoint));
  const [row] = result.rows;
  return row && { charged: toCharged(row), hasAccess: row.hasAccess };
}

const storing = forEachParts((parts) =>
  statement((db, turn: TurnSlots) =>
    db.execute<ChargedColumns & { hasAccess: boolean }>(sql`
      WITH fenced AS (
        UPDATE tasks SET iterations = ${turn.iterations}::int, tool_calls = ${turn.toolCalls}::int
        WHERE id = ${turn.taskId}::uuid AND generation = ${turn.generation}::int AND status = 'running'
        RETURNING id, user_id, project_id, agent_id
      ) ${turnRows(turn, parts)}
      SELECT charged.*, (SELECT ${hasAccess()} FROM tasks WHERE tasks.id = fenced.id) AS "hasAccess"
      FROM fenced LEFT JOIN charged ON true
    `),
  ),
);

interface ChargedColumns extends Record<string, unknown> {
  usageId: string | null;
  cost: number | null;
  deducted: number | null;
  balance: number | null;
}

function toCharged({ usageId, cost, deducted, balance }: ChargedColumns): Charged | undefined {
  return usageId === null ? undefined : { usageId, cost: cost ?? 0, deducted: deducted ?? 0, balance };
}

/**
 * Keep what the model is told instead of old turns, and note the call that its summary took, unless a newer generation has the
 * task or it is over; then nothing is answered.
 */
export async function storeCompaction(
  db: Db,
  { taskId, generation }: Pick<Checkpoint, "taskId" | "generation">,
  compaction: Record<string, unknown>,
  call: ModelCall | undefined,
): Promise<{ charged: Charged | undefined } | undefined> {
  const result = await db.execute<ChargedColumns>(sql`
    WITH fenced AS (
      UPDATE tasks SET compaction = ${JSON.stringify(compaction)}::jsonb
      WHERE id = ${taskId}::uuid AND generation = ${generation}::int AND status = 'running'
      RETURNING id, user_id, project_id, agent_id
    ) ${chargedRows(call && valuesOfCall(call))}
    SELECT charged.* FROM fenced LEFT JOIN charged ON true
  `);
  const [row] = result.rows;
  return row && { charged: toCharged(row) };
}

/**
 * Give a chat its title, unless somebody has. One that is not final, because no model gave it, is for a chat that has none, and
 * makes way for a better one.
 */
export async function titleChat(
  db: Db,
  chatId: string,
  { title, isFinal }: { title: string; isFinal: boolean },
): Promise<void> {
  await db
    .update(chats)
    .set({ title, isTitled: isFinal })
    .where(and(eq(chats.id, chatId), eq(chats.isTitled, false), isFinal ? undefined : isNull(chats.title)));
}

/**
 * The title of the task's chat, where this task is the one that tells of it: a model was asked for it, or it was the first task
 * and there is only the line that stands in for one. As a value of SQL, of the row `tasks` or one like it.
 */
const titleToTell = (task: SQL) => sql<string | null>`(
  SELECT c.title FROM chats c WHERE c.id = ${task}.chat_id AND CASE WHEN c.is_titled
    THEN EXISTS (SELECT 1 FROM usage_logs u WHERE u.task_id = ${task}.id AND u.iteration = 1 AND u.purpose = 'title')
    ELSE ${task}.origin <> 'api'
      AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.chat_id = c.id AND t.seq < ${task}.seq) END)`;

/** A task with the title it tells of at its end, and the task of its chat that is to be begun. */
export function taskWithTitle(db: Db, taskId: string) {
  return db
    .select({ task: tasks, title: titleToTell(sql`tasks`), next: nextTask })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(tasks.id, taskId));
}

/**
 * End the task, in one conditional statement with its last turn, its assistant message and its chat, whose turn the next of its
 * unfinished tasks has from then on. Returns what follows from the end; what only the task's next turn needed is forgotten. Nothing
 * is returned when this call did not end it: an earlier one may have, or a newer generation may have it.
 */
export async function endTask(
  db: Db,
  checkpoint: Checkpoint & { account?: ChatAccount | undefined; work?: string | null },
  end: {
    status: TaskStatus;
    response: string | null;
    completionReason: string;
    error: string | null;
  },
): Promise<EndedRow | undefined> {
  const turn = { ...checkpoint, step: checkpoint.step && { ...checkpoint.step, kept: null } };
  const result = await ending[partsOf(turn)](db, {
    ...valuesOfTurn(turn),
    status: end.status,
    response: end.response,
    completionReason: end.completionReason,
    error: end.error,
    answerId: newId(),
    work: checkpoint.work ?? null,
    summary: checkpoint.account?.summary ?? null,
    summarizedSeq: checkpoint.account?.through ?? null,
  });
  const [row] = result.rows;
  if (!row) return undefined;
  const { chatId, callbackStatus, title, next } = row;
  return { chatId, callbackStatus, title, next, charged: toCharged(row) };
}

interface EndSlots extends TurnSlots {
  status: Slot<TaskStatus>;
  response: Slot<string | null>;
  completionReason: Slot<string>;
  error: Slot<string | null>;
  answerId: Slot<string>;
  work: Slot<string | null>;
  summary: Slot<string | null>;
  summarizedSeq: Slot<number | null>;
}

const ending = forEachParts((parts) =>
  statement((db, turn: EndSlots) =>
    db.execute<ChargedColumns & Omit<EndedRow, "charged">>(sql`
    WITH fenced AS (
      UPDATE tasks SET
        iterations = ${turn.iterations}::int, tool_calls = ${turn.toolCalls}::int,
        generation = ${turn.generation}::int,
        status = ${turn.status}::text, response = ${turn.response}::text,
        completion_reason = ${turn.completionReason}::text, error = ${turn.error}::text,
        completed_at = now(), started_at = coalesce(started_at, now()),
        callback_status = CASE WHEN webhook_url IS NULL THEN 'none' ELSE 'pending' END
      WHERE id = ${turn.taskId}::uuid AND generation <= ${turn.generation}::int
        AND status IN ('queued', 'running')
      RETURNING id, user_id, project_id, agent_id, chat_id, seq, origin, callback_status, response, error,
        completion_reason, iterations, tool_calls
    ) ${turnRows(turn, parts)}, forgotten AS (
      UPDATE task_steps SET step_data = step_data - 'kept'
      FROM fenced WHERE task_id = fenced.id AND step_data ->> 'kept' IS NOT NULL
    ), answer AS (
      INSERT INTO messages (id, chat_id, seq, role, content, message_metadata, task_id)
      SELECT ${turn.answerId}::uuid, chat_id, seq, 'assistant', coalesce(response, ''), jsonb_build_object(
        'agent_mode', true, 'task_id', id, 'iterations', iterations, 'tool_calls_made', tool_calls,
        'completion_reason', completion_reason, 'error', error, 'work', ${turn.work}::text), id
      FROM fenced ON CONFLICT DO NOTHING
    ), turn AS (
      SELECT chats.id, chats.unfinished_tasks AS before FROM chats JOIN fenced ON fenced.chat_id = chats.id
      FOR UPDATE OF chats
    ), chat AS (
      UPDATE chats SET updated_at = now(), unfinished_tasks = array_remove(turn.before, fenced.id),
        summary = coalesce(${turn.summary}::text, summary),
        summarized_seq = coalesce(${turn.summarizedSeq}::int, summarized_seq)
      FROM fenced, turn WHERE chats.id = turn.id
    )
    SELECT chat_id AS "chatId", callback_status AS "callbackStatus", ${titleToTell(sql`fenced`)} AS title, charged.*,
      (SELECT before[2] FROM turn WHERE before[1] = fenced.id) AS next
    FROM fenced LEFT JOIN charged ON true
    `),
  ),
);

/** What follows from the end of a task. */
interface EndedRow extends Pick<Task, "chatId" | "callbackStatus"> {
  /** Of its chat, where the task tells of it. */
  title: string | null;
  /** The task that has the chat's turn now, where this one had it. */
  next: string | null;
  charged: Charged | undefined;
}

/** Which of the two a checkpoint has: the statements differ with it. */
type Parts = "step and call" | "step" | "call" | "nothing";

const partsOf = ({ step, call }: Pick<Checkpoint, "step" | "call">): Parts =>
  step ? (call ? "step and call" : "step") : call ? "call" : "nothing";

function forEachParts<T>(make: (parts: Parts) => T): Record<Parts, T> {
  return {
    "step and call": make("step and call"),
    step: make("step"),
    call: make("call"),
    nothing: make("nothing"),
  };
}

/** A checkpoint as parameters; what it does not have is in no statement that it is given to. */
function valuesOfTurn({ taskId, generation, iterations, toolCalls, step, call }: Checkpoint) {
  const values = {
    taskId,
    generation,
    iterations,
    toolCalls,
    stepId: newId(),
    step: JSON.stringify(step ?? null),
  };
  return { ...values, ...valuesOfCall(call ?? NO_CALL) };
}

interface TurnSlots extends CallSlots {
  taskId: Slot<string>;
  generation: Slot<number>;
  iterations: Slot<number>;
  toolCalls: Slot<number>;
  stepId: Slot<string>;
  step: Slot<string>;
}

const NO_CALL: ModelCall = {
  purpose: "agent",
  number: 0,
  provider: "",
  model: "",
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cost: { input: 0, output: 0 },
  isByok: false,
};

/** The step of a checkpoint, and `charged` for its model call, as further parts of its WITH list. */
function turnRows(turn: TurnSlots, parts: Parts): SQL {
  const hasStep = parts === "step" || parts === "step and call";
  const hasCall = parts === "call" || parts === "step and call";
  const stepRow = hasStep
    ? sql`, step AS (
      INSERT INTO task_steps (id, task_id, step_index, step_data)
      SELECT ${turn.stepId}::uuid, id, ${turn.iterations}::int, ${turn.step}::jsonb FROM fenced ON CONFLICT DO NOTHING
    )`
    : sql``;
  return sql`${stepRow} ${chargedRows(hasCall ? turn : undefined)}`;
}

/**
 * `charged` for a model call of the task `fenced`, as further parts of its WITH list. What the task had reserved for it, or
 * for a call that came to nothing, is released.
 */
function chargedRows(call: Parameters<typeof callParts>[0] | undefined): SQL {
  return sql`, billed AS (
      SELECT fenced.user_id, projects.team_id, fenced.project_id, fenced.agent_id, fenced.id AS task_id
      FROM fenced JOIN projects ON projects.id = fenced.project_id
    ), ${call ? callParts(call) : noCallParts()}`;
}
