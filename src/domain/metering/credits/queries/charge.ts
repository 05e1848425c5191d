import { sql, type SQL } from "drizzle-orm";
import type { Slot } from "#src/db/statement.ts";
import { BONUS, usableCredits } from "./pools.ts";

export interface Charge {
  /** US cents; 0 takes no credits. */
  cost: number | Slot<number>;
  /** The team that pays. */
  teamId: SQL;
  /** Which rows of `credit_reservations` the charge releases; those of other teams stay. */
  releases: SQL;
}

/**
 * Parts of a WITH list that take credits from a team, in the order daily, bundled, bonus, purchased, and release their
 * reservation: `payer` (the locked team, with the amount to take, limited to the available credits), and `released` and
 * `payment` (with the remaining `balance`). Credits are only taken if `condition` holds; the reservation is released in
 * any case. Without a cost or a reservation the team's row is not touched.
 *
 * The reservation does not limit the charge: a charge that exceeds it, or comes after its release, takes available
 * credits.
 */
export function charge({ cost, teamId, releases }: Charge): {
  payer: SQL;
  payment: (condition: SQL) => SQL;
} {
  return {
    payer: sql`payer AS (
      SELECT id, from_daily, from_bundled, from_bonus, from_purchased,
        from_daily + from_bundled + from_bonus + from_purchased AS deducted
      FROM (
        SELECT *, least(purchased, cost - from_daily - from_bundled - from_bonus) AS from_purchased FROM (
          SELECT *, least(bonus, cost - from_daily - from_bundled) AS from_bonus FROM (
            SELECT *, least(bundled, cost - from_daily) AS from_bundled FROM (
              SELECT *, least(daily, cost) AS from_daily FROM (
                SELECT teams.id, teams.daily_credits AS daily, teams.bundled_credits AS bundled, ${BONUS} AS bonus,
                  teams.purchased_credits AS purchased, ${cost}::int AS cost
                FROM teams WHERE teams.id = ${teamId}
                  AND (${cost}::int > 0 OR EXISTS (SELECT 1 FROM credit_reservations WHERE ${releases}))
                FOR NO KEY UPDATE
              ) AS pools
            ) AS daily_taken
          ) AS bundled_taken
        ) AS bonus_taken
      ) AS taken
    )`,
    payment: (condition) => sql`released AS (
      DELETE FROM credit_reservations USING payer
      WHERE credit_reservations.team_id = payer.id AND (${releases})
      RETURNING credit_reservations.credits
    ), payment AS (
      UPDATE teams SET
        daily_credits = teams.daily_credits - due.times * due.from_daily,
        bundled_credits = teams.bundled_credits - due.times * due.from_bundled,
        signup_bonus_credits = teams.signup_bonus_credits - due.times * due.from_bonus,
        purchased_credits = teams.purchased_credits - due.times * due.from_purchased,
        reserved_credits = teams.reserved_credits - due.released
      FROM (
        SELECT payer.*, CASE WHEN ${condition} THEN 1 ELSE 0 END AS times,
          (SELECT coalesce(sum(credits), 0)::int FROM released) AS released
        FROM payer
      ) AS due
      WHERE teams.id = due.id
      RETURNING due.times * due.deducted AS deducted, ${usableCredits()} AS balance
    )`,
  };
}
