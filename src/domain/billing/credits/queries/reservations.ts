import { sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import { usableCredits } from "./pools.ts";

/**
 * Seconds after which what was reserved is free again unless it was renewed: what a crash left. With the sweep's minute it is
 * well below the ten minutes that are promised (decision 23).
 */
const LIFETIME = 7 * 60;

/** What of a team's credits is put aside for one call of a model. */
export interface ReservationWish {
  /** Of the reservation. One of the same id is released, and so is what the task holds. */
  id: string;
  teamId: string;
  /** Whose turn it is for; null for a call beside the turns of tasks. */
  task: TaskOfTurn | null;
  /** US cents without which the call is not worth beginning. */
  least: number;
  /** US cents that the call costs at most. */
  most: number;
}

/** A task, and the generation of its executor: an older one reserves nothing. */
export interface TaskOfTurn {
  id: string;
  generation: number;
}

/**
 * Put credits aside: as many as the call may cost, or as many as are left beside other reservations. Returns how many; 0
 * where those are fewer than the least, and then nothing is reserved.
 *
 * The team's row is locked first, and what is free is computed from the locked row alone (its pools and its counter
 * `reserved_credits`). A sum over the reservations would be that of the statement's snapshot, which is older than the lock:
 * of two at once, each would miss the other's.
 */
export async function reserveCredits(db: Db, wish: ReservationWish): Promise<number> {
  const { id, teamId, task, least, most } = wish;
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

const reservation = statement((db, wish: ReservationSlots) =>
  db.execute<{ credits: number }>(sql`
    WITH payer AS (
      SELECT teams.id, ${usableCredits()} - teams.reserved_credits AS free FROM teams
      WHERE teams.id = ${wish.teamId}::uuid FOR NO KEY UPDATE
    ), released AS (
      DELETE FROM credit_reservations USING payer
      WHERE credit_reservations.team_id = payer.id
        AND (credit_reservations.id = ${wish.id}::uuid OR credit_reservations.task_id = ${wish.taskId}::uuid)
        AND ${isCurrent(wish)}
      RETURNING credit_reservations.credits
    ), room AS (
      SELECT payer.id, released.credits AS released, payer.free + released.credits AS free
      FROM payer, (SELECT coalesce(sum(credits), 0)::int AS credits FROM released) AS released
    ), granted AS (
      SELECT id, released, CASE WHEN free >= ${wish.least}::int AND ${isCurrent(wish)}
        THEN least(free, ${wish.most}::int) ELSE 0 END AS credits
      FROM room
    ), counted AS (
      UPDATE teams SET reserved_credits = teams.reserved_credits - granted.released + granted.credits
      FROM granted WHERE teams.id = granted.id AND granted.released + granted.credits > 0
      RETURNING granted.credits
    ), reservation AS (
      INSERT INTO credit_reservations (id, team_id, task_id, credits, expires_at)
      SELECT ${wish.id}::uuid, id, ${wish.taskId}::uuid, credits, ${end()} FROM granted WHERE credits > 0
    )
    SELECT credits FROM counted
  `),
);

/** Whether the executor still has the task; a call without one is always current. */
function isCurrent({ taskId, generation }: Pick<ReservationSlots, "taskId" | "generation">): SQL {
  return sql`(${taskId}::uuid IS NULL
    OR EXISTS (SELECT 1 FROM tasks WHERE id = ${taskId}::uuid AND generation = ${generation}::int))`;
}

/**
 * Reservations of a call that goes on: those that a task holds, or one by its id. Returns whether there are any: what has
 * expired may be another's by now.
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

/** As `renewReservation`, for the batch in which a new executor takes the task over, with what the one before it reserved. */
export const adoptReservations = statement((db, { taskId }: { taskId: Slot<string> }) =>
  db.execute(sql`UPDATE credit_reservations SET expires_at = ${end()} WHERE task_id = ${taskId}::uuid`),
);

/** Release what was reserved for a call that costs nothing. Safe to repeat. */
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

/** Teams seen to by one sweep; the next one takes the rest. */
const BATCH = 1000;

/** Release what has expired. It waits for no team: one that is locked is left to the next sweep. */
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
