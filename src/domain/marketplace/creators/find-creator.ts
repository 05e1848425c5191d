import { browseAgents, type Viewer } from "#src/domain/marketplace/catalogue/index.ts";
import { refusalOfUsername } from "#src/domain/people/accounts/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { creatorById, creatorByUsername, isUsernameTaken } from "./queries.ts";

export type Creator = NonNullable<Awaited<ReturnType<typeof creatorById>>>;

const MISSING = "Creator not found";

/** A person who has something in the marketplace. Throws `not_found` for all others. */
export async function requireCreator(deps: { db: Db }, id: string): Promise<Creator> {
  const creator = isId(id) ? await creatorById(deps.db, id) : undefined;
  if (!creator) throw new AppError("not_found", MISSING);
  return creator;
}

/** As `requireCreator`, by username, in upper or lower case. */
export async function requireCreatorNamed(deps: { db: Db }, username: string): Promise<Creator> {
  const creator = await creatorByUsername(deps.db, username);
  if (!creator) throw new AppError("not_found", MISSING);
  return creator;
}

/** Why a username cannot be chosen; `undefined` for one that is free. */
export async function refusalOfName(deps: { db: Db }, username: string): Promise<string | undefined> {
  return (
    refusalOfUsername(username) ??
    ((await isUsernameTaken(deps.db, username)) ? "Username is taken" : undefined)
  );
}

/** A page of a creator's agents in the marketplace, newest first. Throws `not_found`. */
export async function listAgentsOfCreator(
  deps: { db: Db },
  viewer: Viewer,
  { id, page, limit }: { id: string; page: number; limit: number },
) {
  const { user } = await requireCreator(deps, id);
  return browseAgents(deps, viewer, { creatorId: user.id, sort: "newest", page, limit });
}
