import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { userById, type User } from "./queries.ts";

/** The caller's own account. Throws `unauthenticated` if it was deleted after the request was authenticated. */
export async function requireAccount(deps: { db: Db }, userId: string): Promise<User> {
  const [user] = await userById(deps.db, userId);
  if (!user) throw new AppError("unauthenticated", "Unauthorized");
  return user;
}

/**
 * An account as its owner sees it, with the field names that existing clients read. Some fields name features that the
 * service does not have.
 */
export function describeUser(user: User) {
  return {
    id: user.id,
    email: user.email,
    is_active: user.isActive,
    is_superuser: user.isSuperuser,
    is_verified: user.isVerified,
    is_admin: user.isSuperuser,
    name: user.name,
    username: user.username,
    slug: user.slug,
    default_team_id: user.defaultTeamId,
    avatar_url: user.avatarUrl,
    created_at: user.createdAt.toISOString(),
    last_active_at: user.lastActiveAt?.toISOString() ?? null,
    litellm_api_key: null,
    litellm_user_id: null,
    diagram_model: user.diagramModel,
    disabled_models: null,
    referral_code: null,
    referred_by: null,
  };
}
