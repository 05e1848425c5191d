import {
  LISTED_SCOPES,
  roleGrants,
  type ListedScope,
  type UserCaller,
} from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { keysOfUser, type ApiKey } from "./queries.ts";

/** The caller's own keys, including revoked ones, newest first: all, or at most `limit` that follow the key `after`. */
export async function listApiKeys(
  deps: { db: Db },
  userId: string,
  page: { limit?: number | undefined; after?: string | undefined },
): Promise<ApiKey[]> {
  return keysOfUser(deps.db, userId, page);
}

/** Permissions that the caller may give to a key: those of the caller's role. */
export async function listGrantableScopes(deps: { db: Db }, caller: UserCaller): Promise<ListedScope[]> {
  const { role } = await requireTeam(deps, caller, "team.view");
  return LISTED_SCOPES.filter((scope) => roleGrants(role, scope.value));
}
