import type { Caller } from "#src/domain/access/permissions/index.ts";
import { repositoryOf } from "#src/domain/source-control/repositories/index.ts";
import { requireProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import type { ProjectSource } from "#src/db/schema/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { wantFirstFiles } from "./queries/wishes.ts";
import { publish, type RequestDeps } from "./request-state.ts";

/**
 * Starts a project again whose files are gone for good or could not be set up: empty, or with a clone of its repository.
 * Throws as `requireProject` does, and `conflict` for a project that has files, or that has no repository.
 */
export async function beginAnew(
  deps: RequestDeps,
  caller: Caller,
  input: { project: string; from: "empty" | "repository" },
): Promise<OpenProject> {
  const project = await requireProject(deps, caller, input.project, "snapshot.restore");
  if (project.lostAt === null && project.status !== "failed") throw new AppError("conflict", HAS_FILES);
  const source = input.from === "empty" ? null : await repositorySource(deps.db, project);
  const isWanted = await publish(deps, project.id, await wantFirstFiles(deps.db, project.id, source));
  if (!isWanted) throw new AppError("conflict", HAS_FILES);
  return project;
}

const HAS_FILES =
  "The project has its files: only one whose files are lost, or could not be set up, starts again";

/** The repository that was connected last, or the one that the project was created from. */
async function repositorySource(db: Db, { id, source }: OpenProject): Promise<ProjectSource> {
  const repository = await repositoryOf(db, id);
  if (repository) {
    return { kind: "git", url: repository.repoUrl, branch: repository.defaultBranch || null };
  }
  if (source?.kind === "git") return source;
  throw new AppError("conflict", "The project has no repository: it can only start empty");
}
