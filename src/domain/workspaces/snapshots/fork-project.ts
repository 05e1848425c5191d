import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { createProjectFrom, requireProject, type Project } from "#src/domain/workspaces/projects/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { copyContainers } from "./queries.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Longest name of a project. */
const MAX_NAME = 200;
const SUFFIX = " (Fork)";

/**
 * Creates a project for the caller from another project's current files and containers. The files are restored in the
 * background, from a snapshot that counts among those of the source. The caller must be allowed to create projects in
 * both teams. The fork of a private project is private. Throws as `withRuntime` and `createProjectFrom` do.
 */
export async function forkProject(
  deps: RuntimeDeps & TakeDeps,
  caller: Caller,
  idOrSlug: string,
  limits?: CeilingConfig<"projects">,
): Promise<{ project: Project; taskId: string }> {
  const access = { caller, project: idOrSlug, scope: "project.create" } as const;
  await requireProject(deps, caller, idOrSlug, access.scope);
  await requireTeam(deps, caller, access.scope);
  const { source, hash } = await withRuntime(deps, access, async (runtime, project) => {
    const wish = {
      projectId: project.id,
      role: "checkpoint",
      label: "fork",
      createdBy: caller.userId,
    } as const;
    return { source: project, hash: (await takeSnapshot(deps, runtime, wish)).hash };
  });
  const wish = {
    name: `${source.name.slice(0, MAX_NAME - SUFFIX.length).toWellFormed()}${SUFFIX}`,
    description: source.description,
    sourceType: "template",
    visibility: source.visibility === "private" ? "private" : "team",
    source: { kind: "fork", projectId: source.id, hash },
  } as const;
  const fork = await createProjectFrom(deps, caller, wish, limits);
  const { id, teamId } = fork.project;
  await copyContainers(deps.db, { from: source.id, to: id, withSecrets: teamId === source.teamId });
  return fork;
}
