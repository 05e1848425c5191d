import { sql, type SQL } from "drizzle-orm";
import {
  callParts,
  noCallParts,
  valuesOfCall,
  type CallSlots,
  type Charged,
  type ModelCall,
} from "#src/domain/metering/usage/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { ChatSummary, TurnWrite } from "../turns.ts";
import type { FollowUpDeps, FollowUps } from "../follow-ups.ts";
import type { SourceKind } from "../source.ts";
import type { Task, TaskStatus } from "../task.ts";
import { jobsAtEnd } from "./jobs-at-end.ts";
import { lossOf, type Loss } from "./loss.ts";
import { sourceIn } from "./source.ts";
import { titleToTell } from "./title.ts";

/**
 * Stores a turn. Returns nothing if a newer generation has the task or the task has ended. `loss` says why it
 * may not have another turn, and is null where it may.
 */
export async function storeTurn(
  db: Db,
  write: TurnWrite,
): Promise<{ charged: Charged | undefined; loss: Loss | null } | undefined> {
  const result = await storing[partsOf(write)](db, valuesOfTurn(write));
  const [row] = result.rows;
  return row && { charged: toCharged(row), loss: row.loss };
}

const storing = forEachParts((parts) =>
  statement((db, turn: TurnSlots) =>
    db.execute<ChargedColumns & { loss: Loss | null }>(sql`
      WITH fenced AS (
        UPDATE tasks SET iterations = ${turn.iterations}::int, tool_calls = ${turn.toolCalls}::int
        WHERE id = ${turn.taskId}::uuid AND generation = ${turn.generation}::int AND status = 'running'
        RETURNING id, user_id, project_id, agent_id
      ) ${turnRows(turn, parts)}
      SELECT charged.*, (SELECT ${lossOf()} FROM tasks WHERE tasks.id = fenced.id) AS loss
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
 * Stores the summary that replaces old turns, and charges its model call. Returns nothing if a newer generation has the
 * task or the task has ended.
 */
export async function storeCompaction(
  db: Db,
  { taskId, generation }: Pick<TurnWrite, "taskId" | "generation">,
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
 * Ends the task in one conditional statement with its last turn, its assistant message and its chat, whose turn passes to
 * the next unfinished task. Stores the jobs of its callback and of its source. Data that only another turn would
 * need is deleted, and the project counts as used. Returns the follow-up. Returns nothing if this call did not end the
 * task: an earlier call did, or a newer generation has it.
 */
export async function endTask(
  { db, followUps }: FollowUpDeps & { db: Db },
  write: TurnWrite & { chatSummary?: ChatSummary | undefined; work?: string | null },
  end: {
    status: TaskStatus;
    response: string | null;
    completionReason: string;
    error: string | null;
  },
): Promise<EndedRow | undefined> {
  const last = { ...write, turn: write.turn && { ...write.turn, kept: null } };
  const result = await endingBefore(followUps)[partsOf(last)](db, {
    ...valuesOfTurn(last),
    status: end.status,
    response: end.response,
    completionReason: end.completionReason,
    error: end.error,
    answerId: newId(),
    work: write.work ?? null,
    summary: write.chatSummary?.summary ?? null,
    summarizedSeq: write.chatSummary?.through ?? null,
  });
  const [row] = result.rows;
  if (!row) return undefined;
  const { chatId, userId, kind, callbackStatus, title, next } = row;
  return { chatId, userId, kind, callbackStatus, title, next, charged: toCharged(row) };
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

const endings = new WeakMap<FollowUps, ReturnType<typeof newEnding>>();

function endingBefore(followUps: FollowUps) {
  const ending = endings.get(followUps) ?? newEnding(followUps);
  endings.set(followUps, ending);
  return ending;
}

const newEnding = (followUps: FollowUps) =>
  forEachParts((parts) =>
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
      RETURNING id, user_id, project_id, agent_id, chat_id, seq, origin, ${sourceIn(sql`tasks`).kind} AS kind, callback_status, response, error,
        completion_reason, iterations, tool_calls, status, started_at, completed_at
    ) ${turnRows(turn, parts)}, forgotten AS (
      UPDATE task_steps SET step_data = step_data - 'kept'
      FROM fenced WHERE task_id = fenced.id AND step_data ->> 'kept' IS NOT NULL
    ), forgotten_answers AS (
      -- Not only where answers are seen: they may have come while this waited for the task.
      UPDATE approvals SET encrypted_answers = NULL
      FROM fenced WHERE approvals.task_id = fenced.id AND asked IS NOT NULL
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
    ), used AS (
      UPDATE projects SET last_activity = now(), idle_warned_at = NULL
      WHERE id IN (
        SELECT p.id FROM projects p JOIN fenced ON fenced.project_id = p.id
        WHERE p.last_activity IS NULL OR p.last_activity < now() - interval '1 minute'
          OR p.idle_warned_at IS NOT NULL OR p.last_activity <= p.save_asked_at
        -- A deletion of the project locks its row first and this task's later.
        FOR NO KEY UPDATE OF p SKIP LOCKED
      )
    ), follow_up AS (${jobsAtEnd(followUps)})
    SELECT chat_id AS "chatId", fenced.user_id AS "userId", fenced.kind, callback_status AS "callbackStatus",
      ${titleToTell(sql`fenced`)} AS title, charged.*,
      (SELECT before[2] FROM turn WHERE before[1] = fenced.id) AS next
    FROM fenced LEFT JOIN charged ON true
    `),
    ),
  );

/** What follows from the end of a task. */
interface EndedRow extends Pick<Task, "chatId" | "userId" | "callbackStatus"> {
  kind: SourceKind;
  /** Title of its chat, if the task reports it. */
  title: string | null;
  /** The task to which the chat's turn has passed, if this one had it. */
  next: string | null;
  charged: Charged | undefined;
}

/** Which parts a write has. The statement depends on them. */
type Parts = "turn and call" | "turn" | "call" | "nothing";

const partsOf = ({ turn, call }: Pick<TurnWrite, "turn" | "call">): Parts =>
  turn ? (call ? "turn and call" : "turn") : call ? "call" : "nothing";

function forEachParts<T>(make: (parts: Parts) => T): Record<Parts, T> {
  return {
    "turn and call": make("turn and call"),
    turn: make("turn"),
    call: make("call"),
    nothing: make("nothing"),
  };
}

/** A write as parameters. Absent parts are not used by the statement that receives them. */
function valuesOfTurn({ taskId, generation, iterations, toolCalls, turn, call }: TurnWrite) {
  const values = {
    taskId,
    generation,
    iterations,
    toolCalls,
    turnId: newId(),
    turn: JSON.stringify(turn ?? null),
  };
  return { ...values, ...valuesOfCall(call ?? NO_CALL) };
}

interface TurnSlots extends CallSlots {
  taskId: Slot<string>;
  generation: Slot<number>;
  iterations: Slot<number>;
  toolCalls: Slot<number>;
  turnId: Slot<string>;
  turn: Slot<string>;
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

/** The step of a write, and `charged` for its model call, as further parts of its WITH list. */
function turnRows(turn: TurnSlots, parts: Parts): SQL {
  const hasTurnRow = parts === "turn" || parts === "turn and call";
  const hasCall = parts === "call" || parts === "turn and call";
  const turnRow = hasTurnRow
    ? sql`, stored AS (
      INSERT INTO task_steps (id, task_id, step_index, step_data)
      SELECT ${turn.turnId}::uuid, id, ${turn.iterations}::int, ${turn.turn}::jsonb FROM fenced ON CONFLICT DO NOTHING
    )`
    : sql``;
  return sql`${turnRow} ${chargedRows(hasCall ? turn : undefined)}`;
}

/**
 * `charged` for a model call of the task `fenced`, as further parts of its WITH list. Releases what the task had reserved
 * for this call, or for one that failed.
 */
function chargedRows(call: Parameters<typeof callParts>[0] | undefined): SQL {
  return sql`, billed AS (
      SELECT fenced.user_id, projects.team_id, fenced.project_id, fenced.agent_id, fenced.id AS task_id
      FROM fenced JOIN projects ON projects.id = fenced.project_id
    ), ${call ? callParts(call) : noCallParts()}`;
}
