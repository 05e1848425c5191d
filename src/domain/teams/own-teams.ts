import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { teamsOfUser, type OwnTeam } from "./queries.ts";
import { isReservedSlug } from "./slugs.ts";

/** Teams that somebody belongs to, in the order of joining. */
export function listTeams(deps: { db: Db }, userId: string): Promise<OwnTeam[]> {
  return teamsOfUser(deps.db, userId);
}

/** A team that somebody belongs to. Throws `not_found` when that ended since the request was let in. */
export async function requireOwnTeam(deps: { db: Db }, userId: string, teamId: string): Promise<OwnTeam> {
  const [found] = await teamsOfUser(deps.db, userId, teamId);
  if (!found) throw new AppError("not_found", "Team not found");
  return found;
}

/** Throws `invalid_input`. */
export function requireFreeSlug(slug: string): void {
  if (isReservedSlug(slug)) throw new AppError("invalid_input", "This slug is reserved: choose another");
}

export function slugTaken(cause?: unknown): AppError {
  return new AppError("conflict", "This slug is taken: choose another", { cause });
}
