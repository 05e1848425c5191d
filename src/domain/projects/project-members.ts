import type { Role, UserCaller } from "#src/domain/access/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/audit/index.ts";
import type { Client } from "#src/domain/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  deleteProjectMember,
  insertProjectMember,
  membersOfProject,
  updateProjectMember,
  type ProjectMember,
} from "./queries.ts";
import { requireProject, type OpenProject } from "./require-project.ts";

interface Deps {
  db: Db;
}

/** Who asks, and for which project: its id or slug. */
interface Asked {
  caller: UserCaller;
  project: string;
  client: Client;
}

/** People with a role of their own in the project, in the order they got it. Throws as `requireProject` does. */
export async function listProjectMembers(
  deps: Deps,
  caller: UserCaller,
  idOrSlug: string,
): Promise<ProjectMember[]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "project.view");
  return membersOfProject(deps.db, id);
}

/**
 * Give a member of the project's team, named by id or address, a role in the project. Throws as `requireProject` does for
 * whoever is not an administrator of the project, `not_found` for somebody who is not in the team, `conflict` for one who
 * has a role already.
 */
export async function addProjectMember(
  deps: Deps,
  asked: Asked,
  person: { userId?: string | undefined; email?: string | undefined },
  role: Role,
): Promise<ProjectMember> {
  const project = await requireAdministrated(deps, asked);
  const { userId = null, email = null } = person;
  const found = await insertProjectMember(deps.db, project, { userId, email }, role);
  if (!found) throw new AppError("not_found", "This person is not a member of the project's team");
  if (!found.added) throw new AppError("conflict", "This person has a role in the project already");
  await insertAuditEntry(deps.db, entry(asked, project, found.userId, "member_added", { role }));
  return requireMember(deps, project, found.userId);
}

/** Throws as `requireProject` does, and `not_found` for somebody who has no role in the project. */
export async function changeProjectRole(
  deps: Deps,
  asked: Asked,
  userId: string,
  role: Role,
): Promise<ProjectMember> {
  const project = await requireAdministrated(deps, asked);
  const changed = isId(userId) ? await updateProjectMember(deps.db, project.id, userId, role) : undefined;
  if (!changed) throw notFound();
  if (changed.before !== role) {
    const details = { from: changed.before, to: role };
    await insertAuditEntry(deps.db, entry(asked, project, userId, "role_changed", details));
  }
  return requireMember(deps, project, userId);
}

/** From then on the person's role in the team counts. Throws as `changeProjectRole` does. */
export async function removeProjectMember(deps: Deps, asked: Asked, userId: string): Promise<void> {
  const project = await requireAdministrated(deps, asked);
  const [removed] = isId(userId) ? await deleteProjectMember(deps.db, project.id, userId) : [];
  if (!removed) throw notFound();
  await insertAuditEntry(deps.db, entry(asked, project, userId, "member_removed", { role: removed.role }));
}

/** What an administrator alone may do: the permission is the team's word for it. */
function requireAdministrated(deps: Deps, { caller, project }: Asked): Promise<OpenProject> {
  return requireProject(deps, caller, project, "team.change_role");
}

async function requireMember(deps: Deps, { id }: OpenProject, userId: string): Promise<ProjectMember> {
  const [member] = await membersOfProject(deps.db, id, userId);
  if (!member) throw notFound();
  return member;
}

function entry(
  { caller, client }: Asked,
  { id: projectId, teamId }: OpenProject,
  memberId: string,
  event: "member_added" | "member_removed" | "role_changed",
  details: Record<string, unknown>,
): AuditEntry {
  return {
    userId: caller.userId,
    teamId,
    projectId,
    action: `project.${event}`,
    resourceType: "user",
    resourceId: memberId,
    details,
    client,
  };
}

function notFound(): AppError {
  return new AppError("not_found", "Project member not found");
}
