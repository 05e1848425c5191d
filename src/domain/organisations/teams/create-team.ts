import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertTeam, type OwnTeam } from "./queries.ts";
import { requireOwnTeam } from "./require-own-team.ts";
import { requireFreeSlug, slugTaken } from "./slugs.ts";

/** Attempts with a new random slug before a collision counts as a failure. */
const MAX_DRAWS = 10;

/**
 * Creates a team with the caller as its administrator. The slug is derived from the name when absent. Throws `conflict`
 * for a taken slug, `invalid_input` for a reserved one, `forbidden` for a person who already owns the most teams
 * allowed.
 */
export async function createTeam(
  deps: { db: Db; config: CeilingConfig<"teams"> },
  caller: UserCaller,
  wish: { name: string; slug?: string | undefined },
  client: Client,
): Promise<OwnTeam> {
  if (wish.slug !== undefined) requireFreeSlug(wish.slug);
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const team = {
      id: newId(),
      name: wish.name,
      slug: wish.slug ?? slugOf(wish.name, "team"),
      createdBy: caller.userId,
    };
    if (await tryInsert(deps, team, client)) return requireOwnTeam(deps, caller.userId, team.id);
    if (wish.slug !== undefined) throw slugTaken();
  }
  throw new AppError("internal", "No free slug was found for the team");
}

/** Returns false for a taken slug. */
async function tryInsert(
  deps: { db: Db; config: CeilingConfig<"teams"> },
  team: { id: string; name: string; slug: string; createdBy: string },
  client: Client,
): Promise<boolean> {
  try {
    await insertTeam(deps, team, {
      userId: team.createdBy,
      teamId: team.id,
      action: "team.created",
      resourceType: "team",
      resourceId: team.id,
      details: { name: team.name, slug: team.slug },
      client,
    });
    return true;
  } catch (error) {
    if (uniqueViolation(error) === "teams_slug_unique") return false;
    throw error;
  }
}
