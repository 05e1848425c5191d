import type { Caller } from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { mergeSettings, updateProjectRow, type Project, type ProjectChange } from "./queries.ts";
import { requireProject } from "./require-project.ts";

/** Change what a project is called and who sees it. Throws as `requireProject` does. */
export async function updateProject(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  change: ProjectChange,
): Promise<Project> {
  const { id } = await requireProject(deps, caller, idOrSlug, "project.edit");
  const [updated] = await updateProjectRow(deps.db, id, change);
  if (!updated) throw new AppError("not_found", "Project not found");
  return updated;
}

/** Lay settings over the project's, key by key; answers all of them. Throws as `requireProject` does. */
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
