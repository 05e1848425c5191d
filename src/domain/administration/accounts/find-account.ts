import type { User } from "#src/domain/people/accounts/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { accountWithTeam } from "./queries/changes.ts";

/** Any account, and the id of its personal team. Throws `not_found`. */
export async function findAccount(
  deps: { db: Db },
  userId: string,
): Promise<{ user: User; teamId: string | null }> {
  const [found] = isId(userId) ? await accountWithTeam(deps.db, userId) : [];
  if (!found) throw new AppError("not_found", "User not found");
  return found;
}
