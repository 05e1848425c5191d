import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { requireFiles, withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import {
  beginClone,
  cloneDue,
  repositoryOf,
  type Repository,
} from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { messageOf } from "#src/work/job.ts";
import { optionalBranchName } from "./names.ts";
import type { GitAccess, GitDeps } from "./open-repository.ts";
import { allowedAddress } from "./remotes.ts";

interface Asked {
  url: string;
  branch?: string | null | undefined;
}

/**
 * Requests a clone of a repository, which replaces the project's files once it is complete. Returns at once; the clone
 * runs in the background. Throws `invalid_input` for an invalid address or branch, `conflict` while another clone is in
 * progress, and as `requireProject` does.
 */
export async function requestClone(
  deps: GitDeps,
  { caller, project: idOrSlug }: GitAccess,
  asked: Asked,
): Promise<Repository> {
  const project = await requireProject(deps, caller, idOrSlug, "git.write");
  const { id: projectId, status } = project;
  const address = allowedAddress(deps, asked.url);
  const branch = optionalBranchName(asked.branch) ?? null;
  if (status === "initializing" || status === "failed") {
    throw new AppError(
      "conflict",
      "The project's initial files are missing: start the project, or try again later",
    );
  }
  requireFiles(project);
  const begun = await beginClone(deps.db, { projectId, userId: caller.userId, address, branch });
  if (!begun) throw new AppError("conflict", "A repository is already being cloned into the project");
  const message = messageOf({ name: cloneDue.name, key: projectId }, { occasion: begun.occasion });
  await deps.queue.publish(message).catch((cause: unknown) => {
    // The job is stored, so the next sweep publishes it again.
    deps.log.warn("clone was not published", { project_id: projectId, cause });
  });
  return begun.repository;
}

const LOOK_MS = 250;

/**
 * As `requestClone`, but first checks that the remote can be read, and then waits until the clone has ended or `waitMs`
 * have passed. Throws also as the check does (`unauthenticated`, `not_found`, `unavailable`), and `unavailable` for a
 * failed clone.
 */
export async function cloneAndWait(
  deps: GitDeps,
  access: GitAccess,
  asked: Asked,
  waitMs: number,
): Promise<Repository> {
  const deadline = Date.now() + waitMs;
  const { url } = allowedAddress(deps, asked.url);
  const branch = optionalBranchName(asked.branch);
  await withRuntime(deps, { ...access, scope: "git.write" }, async (runtime) => {
    const remote = await remoteFor(deps, { userId: access.caller.userId, url });
    const { branches } = await runtime.git("probe", { remote });
    if (branch !== undefined && branches.length > 0 && !branches.some(({ name }) => name === branch)) {
      throw new AppError("not_found", `The repository has no branch \`${branch}\``);
    }
  });
  let clone: Repository | undefined = await requestClone(deps, access, asked);
  while (clone?.syncStatus === "cloning" && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    clone = await repositoryOf(deps.db, clone.projectId);
  }
  if (!clone) throw new AppError("not_found", "Project not found");
  if (clone.syncStatus === "failed") {
    throw new AppError("unavailable", clone.error ?? "The repository could not be cloned");
  }
  return clone;
}
