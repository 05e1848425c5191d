import { sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import { usableCredits } from "./pools.ts";

/**
 * Seconds after which a reservation expires unless it is renewed, for reservations left by a crash. With the sweep's
 * minute this is well below the promised ten minutes (decision 23).
 */
const LIFETIME = 7 * 60;

/** A reservation of a team's credits for one model call. */
export interface ReservationInput {
  /** Id of the reservation. An existing one with this id, and those of the task, are released. */
  id: string;
  teamId: string;
  /** The task whose turn it is; null for a call outside of turns. */
  task: TaskOfTurn | null;
  /** Minimum in US cents, without which the call is not worthwhile. */
  least: number;
  /** Most US cents that the call can cost. */
  most: number;
}

/** A task and the generation of its executor; an older generation cannot reserve. */
export interface TaskOfTurn {
  id: string;
  generation: number;
}

/**
 * Reserves credits: as many as the call can cost, or what other reservations leave. Returns the amount; 0 if less than
 * the minimum is left, and then nothing is reserved.
 *
 * Locks the team's row first, and computes the free credits from the locked row alone (its pools and its counter
 * `reserved_credits`). A sum over the reservations would be read from the statement's snapshot, which is older than the
 * lock, so two concurrent calls would not see each other's reservation.
 */
export async function reserveCredits(db: Db, input: ReservationInput): Promise<number> {
  const { id, teamId, task, least, most } = input;
  const values = { id, teamId, taskId: task?.id ?? null, generation: task?.generation ?? null, least, most };
  const { rows } = await reservation(db, values);
  return rows[0]?.credits ?? 0;
}

interface ReservationSlots extends Record<"least" | "most", Slot<number>> {
  id: Slot<string>;
  teamId: Slot<string>;
  taskId: Slot<string | null>;
  generation: Slot<number | null>;
}

const reservation = statement((db, input: ReservationSlots) =>
  db.execute<{ credits: number }>(sql`
    WITH payer AS (
      SELECT teams.id, ${usableCredits()} - teams.reserved_credits AS free FROM teams
      WHERE teams.id = ${input.teamId}::uuid FOR NO KEY UPDATE
    ), released AS (
      DELETE FROM credit_reservations USING payer
      WHERE credit_reservations.team_id = payer.id
        AND (credit_reservations.id = ${input.id}::uuid OR credit_reservations.task_id = ${input.taskId}::uuid)
        AND ${isCurrent(input)}
      RETURNING credit_reservations.credits
    ), room AS (
      SELECT payer.id, released.credits AS released, payer.free + released.credits AS free
      FROM payer, (SELECT coalesce(sum(credits), 0)::int AS credits FROM released) AS released
    ), granted AS (
      SELECT id, released, CASE WHEN free >= ${input.least}::int AND ${isCurrent(input)}
        THEN least(free, ${input.most}::int) ELSE 0 END AS credits
      FROM room
    ), counted AS (
      UPDATE teams SET reserved_credits = teams.reserved_credits - granted.released + granted.credits
      FROM granted WHERE teams.id = granted.id AND granted.released + granted.credits > 0
      RETURNING granted.credits
    ), reservation AS (
      INSERT INTO credit_reservations (id, team_id, task_id, credits, expires_at)
      SELECT ${input.id}::uuid, id, ${input.taskId}::uuid, credits, ${end()} FROM granted WHERE credits > 0
    )
    SELECT credits FROM counted
  `),
);

/** Whether the executor's generation is current; always true for a call without a task. */
function isCurrent({ taskId, generation }: Pick<ReservationSlots, "taskId" | "generation">): SQL {
  return sql`(${taskId}::uuid IS NULL
    OR EXISTS (SELECT 1 FROM tasks WHERE id = ${taskId}::uuid AND generation = ${generation}::int))`;
}

/**
 * Renews reservations of a call in progress: those of a task, or one by its id. Returns whether there are any: expired
 * credits may have been reserved by another call.
 */
export async function renewReservation(
  db: Db,
  holder: { taskId: string } | { id: string },
): Promise<boolean> {
  const which = "taskId" in holder ? sql`task_id = ${holder.taskId}::uuid` : sql`id = ${holder.id}::uuid`;
  const { rows } = await db.execute(
    sql`UPDATE credit_reservations SET expires_at = ${end()} WHERE ${which} RETURNING id`,
  );
  return rows.length > 0;
}

/**
 * As `renewReservation`, for the batch in which a new executor claims the task together with the reservations of the
 * previous one.
 */
export const adoptReservations = statement((db, { taskId }: { taskId: Slot<string> }) =>
  db.execute(sql`UPDATE credit_reservations SET expires_at = ${end()} WHERE task_id = ${taskId}::uuid`),
);

/** Releases the reservation of a call that costs nothing. Idempotent. */
export async function releaseReservation(db: Db, teamId: string, id: string): Promise<void> {
  await db.execute(sql`
    WITH payer AS (
      SELECT id FROM teams WHERE id = ${teamId}::uuid FOR NO KEY UPDATE
    ), released AS (
      DELETE FROM credit_reservations USING payer
      WHERE credit_reservations.team_id = payer.id AND credit_reservations.id = ${id}::uuid
      RETURNING credit_reservations.team_id, credit_reservations.credits
    )
    UPDATE teams SET reserved_credits = teams.reserved_credits - released.credits
    FROM released WHERE teams.id = released.team_id
  `);
}

/** Most teams in one sweep; the next sweep takes the rest. */
const BATCH = 1000;

/** Releases expired reservations. Skips locked teams, which the next sweep handles. */
export async function releaseExpired({ db }: { db: Db }): Promise<void> {
  await db.execute(sql`
    WITH payer AS (
      SELECT id FROM teams
      WHERE id IN (SELECT team_id FROM credit_reservations WHERE expires_at <= now() LIMIT ${BATCH}::int)
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), released AS (
      DELETE FROM credit_reservations USING payer
      WHERE credit_reservations.team_id = payer.id AND credit_reservations.expires_at <= now()
      RETURNING credit_reservations.team_id, credit_reservations.credits
    )
    UPDATE teams SET reserved_credits = teams.reserved_credits - released.credits
    FROM (SELECT team_id, sum(credits)::int AS credits FROM released GROUP BY team_id) AS released
    WHERE teams.id = released.team_id
  `);
}

function end(): SQL {
  return sql`now() + make_interval(secs => ${LIFETIME}::int)`;
}
