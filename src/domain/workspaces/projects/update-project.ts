import { endTasksOf, requireRole, type Caller } from "#src/domain/access/permissions/index.ts";
import type { AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { mergeSettings, updateProjectRow, type Project, type ProjectChange } from "./queries/projects.ts";
import { requireProject } from "./require-project.ts";

/**
 * Changes a project's name, description and visibility. Only the project's owner and people who may change its members can
 * change the visibility. Throws as `requireProject` does.
 */
export async function updateProject(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  caller: Caller,
  idOrSlug: string,
  change: ProjectChange,
  client: Client,
): Promise<Project> {
  const project = await requireProject(deps, caller, idOrSlug, "project.edit");
  const entry = visibilityEntry(caller, project, change.visibility, client);
  const isOwner = project.ownerId === caller.userId;
  if (entry && !isOwner) requireRole(project.role, "team.change_role");
  const updated = await updateProjectRow(deps.db, project.id, change, entry);
  if (!updated) throw new AppError("not_found", "Project not found");
  if (entry && updated.visibility === "private") await endTasksOf(deps.queue, [{ projectId: updated.id }]);
  return updated;
}

/** The audit log entry of a change of visibility; `undefined` without one. */
function visibilityEntry(
  caller: Caller,
  { id, teamId, visibility: before }: Project,
  after: Project["visibility"] | undefined,
  client: Client,
): (AuditEntry & { teamId: string }) | undefined {
  if (after === undefined || after === before) return undefined;
  return {
    userId: caller.userId,
    teamId,
    projectId: id,
    action: "project.visibility_changed",
    resourceType: "project",
    resourceId: id,
    details: { from: before, to: after },
    client,
  };
}

/** Merges settings into the project's, key by key, and returns all of them. Throws as `requireProject` does. */
export async function updateSettings(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  settings: Record<string, unknown>,
): Promise<Project["settings"]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "project.settings");
  const [updated] = await mergeSettings(deps.db, id, settings);
  if (!updated) throw new AppError("not_found", "Project not found");
  return updated.settings;
}
