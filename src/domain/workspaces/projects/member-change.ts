import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { membersOfProject, type ProjectMember } from "./queries/members.ts";
import { requireProject, type OpenProject } from "./require-project.ts";

/** A change of project members: the caller, and the project by id or slug. */
export interface MemberChange {
  caller: UserCaller;
  project: string;
  client: Client;
}

/** A project whose members the caller may change. Throws as `requireProject` does. */
export function requireAdministrated(
  deps: { db: Db },
  { caller, project }: MemberChange,
): Promise<OpenProject> {
  // Only administrators have this permission, which is named after the team.
  return requireProject(deps, caller, project, "team.change_role");
}

/** A person with a role of their own in the project. Throws `not_found`. */
export async function requireMember(
  deps: { db: Db },
  { id }: OpenProject,
  userId: string,
): Promise<ProjectMember> {
  const [member] = await membersOfProject(deps.db, id, { userId });
  if (!member) throw noProjectMember();
  return member;
}

/** The audit log entry of a change. */
export function entryOf(
  { caller, client }: MemberChange,
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

export function noProjectMember(): AppError {
  return new AppError("not_found", "Project member not found");
}
