import { and, count, desc, eq, gte, lte, sql, type AnyColumn, type SQL } from "drizzle-orm";
import { usageLogs } from "#src/db/schema/index.ts";
import { charge } from "#src/domain/metering/credits/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Slot } from "#src/db/statement.ts";
import type { Charged, ModelCall } from "./model-call.ts";

/** The recorded values of a model call, as SQL parameters. */
export function valuesOfCall(call: ModelCall) {
  const { purpose, number, provider, model, cost, isByok } = call;
  return {
    usageId: newId(),
    purpose,
    number,
    provider,
    model,
    inputTokens: call.inputTokens,
    outputTokens: call.outputTokens,
    cachedInputTokens: call.cachedInputTokens,
    cacheWriteTokens: call.cacheWriteTokens,
    costInput: isByok ? 0 : cost.input,
    costOutput: isByok ? 0 : cost.output,
    costTotal: isByok ? 0 : cost.input + cost.output,
    isByok,
  };
}

export type CallValues = ReturnType<typeof valuesOfCall>;
/** The same values as slots, for statements that are built before the values are known. */
export type CallSlots = { [Name in keyof CallValues]: Slot<CallValues[Name]> };

/**
 * Parts of a WITH list that record a model call, take its credits and release its reservation, for the row `billed`
 * (`user_id`, `team_id`, `project_id`, `agent_id`, `task_id`) of an earlier part. The last part is `charged`
 * (`usageId`, `cost`, `deducted`, `balance`). A call that is already recorded costs nothing more, and `charged` is then
 * empty. Releases the named reservation, or those of the task.
 */
export function callParts(call: CallValues | CallSlots, reservation?: string): SQL {
  const { payer, payment } = charge({
    cost: call.costTotal,
    teamId: sql`(SELECT team_id FROM billed)`,
    releases: reservation === undefined ? OF_TASK : sql`credit_reservations.id = ${reservation}::uuid`,
  });
  return sql`${payer}, noted AS (
      INSERT INTO usage_logs (id, user_id, project_id, team_id, agent_id, task_id, iteration, purpose, provider, model,
        input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_input, cost_output, cost_total,
        credits_deducted, is_byok, billed_status)
      SELECT ${call.usageId}::uuid, user_id, project_id, team_id, agent_id, task_id, ${call.number}::int,
        ${call.purpose}::text, ${call.provider}::text, ${call.model}::text, ${call.inputTokens}::int, ${call.outputTokens}::int,
        ${call.cachedInputTokens}::int, ${call.cacheWriteTokens}::int, ${call.costInput}::int,
        ${call.costOutput}::int, ${call.costTotal}::int, coalesce((SELECT deducted FROM payer), 0),
        ${call.isByok}::boolean,
        CASE WHEN ${call.isByok}::boolean THEN 'exempt' WHEN (SELECT deducted FROM payer) > 0 THEN 'credited' ELSE 'pending' END
      FROM billed ON CONFLICT DO NOTHING
      RETURNING id, cost_total
    ), ${payment(sql`EXISTS (SELECT 1 FROM noted)`)}, charged AS (
      SELECT noted.id AS "usageId", noted.cost_total AS cost, coalesce(payment.deducted, 0) AS deducted, payment.balance
      FROM noted LEFT JOIN payment ON true
    )`;
}

/** The reservations of the task of `billed`; none without a task. */
const OF_TASK = sql`credit_reservations.task_id = (SELECT task_id FROM billed)`;

/** As `callParts` without a call: releases the task's reservations, and `charged` is empty. */
export function noCallParts(): SQL {
  const { payer, payment } = charge({
    cost: 0,
    teamId: sql`(SELECT team_id FROM billed)`,
    releases: OF_TASK,
  });
  return sql`${payer}, ${payment(sql`false`)}, charged AS (
      SELECT NULL::uuid AS "usageId", NULL::int AS cost, NULL::int AS deducted, NULL::int AS balance WHERE false
    )`;
}

/** The person and the paying team of a call outside of tasks. */
export interface CallOfTeam {
  userId: string;
  teamId: string;
  /** Set if the call concerns a project. */
  projectId?: string;
  agentId?: string;
}

/**
 * Records a call that a member of a team makes outside of tasks. Not idempotent: each repetition records another call.
 */
export async function insertCallOfTeam(
  db: Db,
  by: CallOfTeam,
  call: ModelCall,
): Promise<Charged | undefined> {
  const result = await db.execute<Charged & Record<string, unknown>>(sql`
    WITH billed AS (
      SELECT ${by.userId}::uuid AS user_id, id AS team_id, ${by.projectId ?? null}::uuid AS project_id,
        ${by.agentId ?? null}::uuid AS agent_id, NULL::uuid AS task_id
      FROM teams WHERE id = ${by.teamId}::uuid
    ), ${callParts(valuesOfCall(call), call.reservation)}
    SELECT * FROM charged
  `);
  return result.rows[0];
}

/** Records a call that a task made outside of its turns. */
export async function insertCallOfTask(
  db: Db,
  taskId: string,
  call: ModelCall,
): Promise<Charged | undefined> {
  const result = await db.execute<Charged & Record<string, unknown>>(sql`
    WITH billed AS (
      SELECT tasks.user_id, projects.team_id, tasks.project_id, tasks.agent_id, tasks.id AS task_id
      FROM tasks JOIN projects ON projects.id = tasks.project_id WHERE tasks.id = ${taskId}::uuid
    ), ${callParts(valuesOfCall(call), call.reservation)}
    SELECT * FROM charged
  `);
  return result.rows[0];
}

/** Selects the calls that a team pays for, including free ones. */
export interface UsageFilter {
  teamId: string;
  /** Only calls of one member. */
  userId?: string;
  from: Date | undefined;
  /** Inclusive. */
  to: Date | undefined;
}

function inFilter({ teamId, userId, from, to }: UsageFilter): SQL | undefined {
  return and(
    eq(usageLogs.teamId, teamId),
    userId === undefined ? undefined : eq(usageLogs.userId, userId),
    from && gte(usageLogs.createdAt, from),
    to && lte(usageLogs.createdAt, to),
  );
}

const sum = (column: AnyColumn) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);

/** Sums of calls for each model and agent, most expensive first. */
export function usageByModelAndAgent(db: Db, filter: UsageFilter) {
  const costCents = sum(usageLogs.costTotal);
  return db
    .select({
      model: usageLogs.model,
      agentId: usageLogs.agentId,
      requests: count(),
      inputTokens: sum(usageLogs.inputTokens),
      outputTokens: sum(usageLogs.outputTokens),
      cachedInputTokens: sum(usageLogs.cachedInputTokens),
      cacheWriteTokens: sum(usageLogs.cacheWriteTokens),
      costCents,
    })
    .from(usageLogs)
    .where(inFilter(filter))
    .groupBy(usageLogs.model, usageLogs.agentId)
    .orderBy(desc(costCents), desc(count()), usageLogs.model);
}

/** Calls, newest first. */
export function pageOfCalls(db: Db, filter: UsageFilter, page: { limit: number; offset: number }) {
  return db
    .select()
    .from(usageLogs)
    .where(inFilter(filter))
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(page.limit)
    .offset(page.offset);
}
