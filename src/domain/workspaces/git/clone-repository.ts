import { takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { awakeRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { touchProject } from "#src/domain/workspaces/projects/index.ts";
import {
  cloneDone,
  cloneDue,
  cloneFailed,
  cloneInterrupted,
  cloneProgress,
  readRepository,
  type Repository,
} from "#src/domain/source-control/repositories/index.ts";
import type { GitProgress } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { defineJob } from "#src/work/job.ts";
import type { GitDeps } from "./open-repository.ts";

interface CloneDeps extends GitDeps, Pick<TakeDeps, "archives"> {
  config: TakeDeps["config"] & { GIT_CLONE_TIMEOUT_SECONDS: number };
}

const WAKE_MS = 60_000;

/**
 * Runs the clone that a project's row requests. The previous files stay until the clone is complete, and a snapshot keeps
 * them. A failure that may not recur is tried again, and so is a clone whose executor died: four executors in all.
 */
export const cloneRepository = defineJob(cloneDue, {
  pauses: [5, 5, 5],
  read: readRepository,
  run: async (deps: CloneDeps, attempt) => {
    const { projectId } = attempt.payload;
    const [clone] = attempt.read;
    // The project is gone, or the clone has ended. A person can ask for another one.
    if (clone?.syncStatus !== "cloning") return { kind: "done" };
    let progress = "Connecting";
    attempt.withRenewals(() => cloneProgress(projectId, progress));
    using limit = timeLimit(deps.config.GIT_CLONE_TIMEOUT_SECONDS * 1000);
    const timeout = limit.signal;
    let cloned;
    try {
      cloned = await cloneInto(deps, clone, attempt.term, {
        signal: AbortSignal.any([attempt.signal, timeout]),
        onProgress: (now) => {
          progress = describeProgress(now);
        },
      });
    } catch (cause) {
      const { error, isFinal } = timeout.aborted
        ? { error: `The clone took longer than ${deps.config.GIT_CLONE_TIMEOUT_SECONDS} s`, isFinal: true }
        : failureOf(cause);
      const isOver = isFinal || attempt.isLast;
      const writes = [cloneFailed(projectId, error, isOver)];
      if (!isOver) return { kind: "failed", error, cause, writes };
      deps.log.warn("repository was not cloned", { project_id: projectId, cause });
      // The person who asked for the clone sees the reason, so the job is done.
      return { kind: "done", writes };
    }
    await touchProject(deps.db, projectId).catch((cause: unknown) => {
      deps.log.warn("a clone was not counted as a use of its project", { project_id: projectId, cause });
    });
    return { kind: "done", writes: [cloneDone(projectId, cloned)] };
  },
  onGivingUp: (projectId) => [cloneInterrupted(projectId)],
});

async function cloneInto(
  deps: CloneDeps,
  { projectId, userId, repoUrl, defaultBranch }: Repository,
  term: number,
  options: { signal: AbortSignal; onProgress: (progress: GitProgress) => void },
) {
  const remote = await remoteFor(deps, { userId, url: repoUrl });
  const input = {
    remote,
    term,
    ...(defaultBranch !== "" && { branch: defaultBranch }),
  };
  const runtime = awakeRuntime(deps, projectId, { timeoutMs: WAKE_MS, signal: options.signal });
  if ((await runtime.list("", { recursive: false })).length > 0) {
    const label = `before the clone of ${repoUrl.slice(repoUrl.lastIndexOf("/") + 1)}`;
    const wish = { projectId, role: "restore", label, createdBy: userId, signal: options.signal } as const;
    await takeSnapshot(deps, runtime, wish);
  }
  return runtime.git("clone", input, options);
}

function describeProgress({ phase, loaded, total }: GitProgress): string {
  const share = total !== null && total > 0 ? ` ${Math.min(100, Math.floor((loaded / total) * 100))}%` : "";
  return phase.slice(0, 100) + share;
}

/** The reason of a failure, for the person who requested the clone, and whether a retry is pointless. */
function failureOf(error: unknown): { error: string; isFinal: boolean } {
  if (!(error instanceof AppError)) return { error: "The repository could not be cloned", isFinal: false };
  return { error: error.message, isFinal: !error.retryable };
}
