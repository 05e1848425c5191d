import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { actionOf, type Administrator } from "./change-account.ts";
import { findAccount } from "./find-account.ts";
import { turnOffAuthenticatorRow } from "./queries/changes.ts";

/**
 * Turns the authenticator app of a person off who has lost it and the recovery codes. Recorded in the trail of administrators
 * and in the account's own log. Throws `not_found`, `conflict` where none is set up, `forbidden`.
 */
export async function turnOffAuthenticatorOf(
  deps: { db: Db },
  by: Administrator,
  userId: string,
): Promise<void> {
  const { user, teamId } = await findAccount(deps, userId);
  const action = actionOf(by, user.id, { actionType: "authenticator.turned_off", details: {} });
  const outcome = await turnOffAuthenticatorRow(deps.db, action, teamId);
  if (!outcome?.admin) throw new AppError("forbidden", "Forbidden");
  if (!outcome.done) throw new AppError("conflict", "This account has no authenticator app");
}
