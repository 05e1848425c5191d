import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { basesFor, findBase, findBaseFor, type Base } from "./queries.ts";

/** The templates a person may use: their own and the public ones. */
export async function listBases(deps: { db: Db }, caller: Caller): Promise<Base[]> {
  return basesFor(deps.db, caller.userId);
}

/** An id or a slug. Other input is refused here, since the database rejects some of it with an error. */
const NAME = /^[a-z0-9-]{1,100}$/iu;

/** A template that the caller may use, by id or slug. Throws `not_found`. */
export async function requireBase(deps: { db: Db }, caller: Caller, idOrSlug: string): Promise<Base> {
  const [base] = NAME.test(idOrSlug) ? await findBase(deps.db, idOrSlug) : [];
  if (!base || (base.visibility === "private" && base.createdBy !== caller.userId)) {
    throw new AppError("not_found", "Template not found");
  }
  return base;
}

/**
 * A template with which a person may begin a team's project, by id or slug. Throws `not_found`, and `forbidden` for one
 * that costs money and that the team has not bought.
 */
export async function requireUsableBase(
  deps: { db: Db },
  user: { teamId: string; userId: string },
  idOrSlug: string,
): Promise<Base> {
  const [found] = NAME.test(idOrSlug) ? await findBaseFor(deps.db, idOrSlug, user) : [];
  if (found?.isEntitled) return found.base;
  if (found?.base.visibility !== "public") throw new AppError("not_found", "Template not found");
  throw new AppError("forbidden", "This template costs money: buy it in the marketplace first");
}
