import {
  authorize,
  type Caller,
  type Role,
  type Scope,
  type UserCaller,
} from "#src/domain/organisations/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defaultMembership, membershipBySlug } from "./queries.ts";
import { isSlug } from "./slugs.ts";

const MISSING = "Team not found";

export interface Membership {
  teamId: string;
  role: Role;
}

/** A person who was let in as a member of the team the request is about. */
export type MemberCaller = UserCaller & { membership: Membership };

/**
 * The team a caller acts in, where the role there grants the permission: the one with this slug, else a key's own or a
 * person's default. Throws `not_found` for a team the caller has no part in, `forbidden` where the role is too low.
 */
export async function requireTeam(
  deps: { db: Db },
  caller: Caller,
  scope: Scope,
  slug?: string,
): Promise<Membership> {
  const found = await findTeam(deps.db, caller, slug);
  if (!found) throw new AppError("not_found", MISSING);
  return { teamId: found.teamId, role: authorize(caller, scope, found, MISSING) };
}

async function findTeam(db: Db, caller: Caller, slug: string | undefined): Promise<Membership | undefined> {
  if (slug !== undefined) {
    return isSlug(slug) ? (await membershipBySlug(db, caller.userId, slug))[0] : undefined;
  }
  // What a key may do was read with the key itself.
  if (caller.kind === "key") return { teamId: caller.teamId, role: caller.role };
  return (await defaultMembership(db, caller.userId))[0];
}
