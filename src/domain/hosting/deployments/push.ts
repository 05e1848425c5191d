import { commitAndPush, type GitDeps } from "#src/domain/workspaces/git/index.ts";
import { memberCaller } from "#src/domain/access/permissions/index.ts";
import { repositoryOf } from "#src/domain/source-control/repositories/index.ts";
import { awakeRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Execution } from "./execution.ts";
import { ADVANCED, ended, type StepOutcome } from "./step-outcome.ts";

const WAKE_MS = 60_000;
const NO_REMOTE =
  "The provider fetches the project from a git host: connect a repository first (clone one, or add a remote `origin`)";

/** Commits and pushes what `origin` does not have, for a provider that fetches the sources from there. */
export async function push(deps: GitDeps, run: Execution): Promise<StepOutcome> {
  const { projectId, userId, settings, version } = run.deployment;
  if (run.deployment.cancelledAt !== null) return ended("cancelled");
  if (projectId === null) return ended("failed", "The project was deleted");
  const runtime = awakeRuntime(deps, projectId, { timeoutMs: WAKE_MS });
  if (!(await repositoryOf(deps.db, projectId))) {
    const remotes = await runtime.git("remotes", {}).catch(() => []);
    if (!remotes.some(({ name }) => name === "origin")) return ended("failed", NO_REMOTE);
  }
  const { branch, sha } = await pushed();
  if (settings.branch !== null && settings.branch !== branch)
    return ended("failed", `The project is on branch ${branch}, not on ${settings.branch}`);
  await run.log(`Commit ${sha.slice(0, 7)} of ${branch} is at origin`);
  await run.record({ status: "deploying", commitSha: sha });
  return ADVANCED;

  async function pushed(): Promise<{ branch: string; sha: string }> {
    const caller = { ...memberCaller(userId), isSuperuser: run.isSuperuser };
    try {
      return await commitAndPush(deps, { caller, project: projectId ?? "" }, `Deployment ${version}`);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      // Nothing to commit and nothing to push: the remote has it all.
      const { branch: current, lastCommit, ahead, changes } = await runtime.git("status", {});
      if (!lastCommit || current === null || ahead > 0 || changes.length > 0) throw error;
      return { branch: current, sha: lastCommit.sha };
    }
  }
}
