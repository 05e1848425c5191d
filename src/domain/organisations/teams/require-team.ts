import {
  authorize,
  type Caller,
  type Role,
  type Scope,
  type UserCaller,
} from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defaultMembership, membershipBySlug } from "./queries.ts";
import { isSlug } from "./slugs.ts";

const MISSING = "Team not found";

export interface Membership {
  teamId: string;
  role: Role;
}

/** A person who is a member of the request's team. */
export type MemberCaller = UserCaller & { membership: Membership };

/**
 * The team in which a caller acts, if the role there grants the permission: the one with this slug, otherwise a key's
 * own or a person's default. Throws `not_found` for a team of which the caller is not a member, `forbidden` if the role
 * does not suffice.
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
  // A key's role was read together with the key.
  if (caller.kind === "key") return { teamId: caller.teamId, role: caller.role };
  return (await defaultMembership(db, caller.userId))[0];
}
