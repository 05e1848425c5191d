import { asMember, isRefusal, type Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Whether the caller sees what others share in a project: superusers reach every project, and see that only where they have a
 * role of their own. One query for superusers, none for others, who were admitted as members.
 */
export async function isMember(deps: { db: Db }, caller: Caller, project: string): Promise<boolean> {
  if (caller.kind === "key" || !caller.isSuperuser) return true;
  try {
    await requireProject(deps, asMember(caller), project, "chat.view");
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
