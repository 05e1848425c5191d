import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { actionOf, type Administrator } from "./change-account.ts";
import { findAccount } from "./find-account.ts";
import { adjustCreditsRow } from "./queries/changes.ts";

/**
 * Adds to the purchased credits of a person's personal team, or deducts from them. Recorded in the trail of
 * administrators and in the team's log. Returns all the team's credits before and after. Throws `invalid_input` if the
 * purchased credits would become negative, `not_found`, `forbidden`.
 */
export async function adjustCredits(
  deps: { db: Db },
  by: Administrator,
  userId: string,
  amount: number,
): Promise<{ oldBalance: number; newBalance: number }> {
  const { user, teamId } = await findAccount(deps, userId);
  const action = actionOf(by, user.id, { actionType: "credits.adjusted", details: { adjustment: amount } });
  const outcome = await adjustCreditsRow(deps.db, action, amount, teamId);
  if (!outcome?.admin) throw new AppError("forbidden", "Forbidden");
  if (!outcome.done) {
    const { purchased } = outcome;
    if (purchased === null) throw new AppError("not_found", "User not found");
    throw new AppError(
      "invalid_input",
      amount < 0
        ? `Only the ${purchased} purchased credits can be deducted`
        : `With ${purchased} purchased credits already, that is more than can be counted`,
    );
  }
  const newBalance = Number(outcome.balance);
  return { oldBalance: newBalance - amount, newBalance };
}
