import { takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { awakeRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { touchProject } from "#src/domain/workspaces/projects/index.ts";
import {
  claimClone,
  finishClone,
  giveUpClone,
  renewClone,
  repositoryOf,
  retryClone,
  type Repository,
} from "#src/domain/source-control/repositories/index.ts";
import type { GitProgress } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { GitDeps } from "./open-repository.ts";

interface CloneDeps extends GitDeps, Pick<TakeDeps, "archives"> {
  config: TakeDeps["config"] & { GIT_CLONE_TIMEOUT_SECONDS: number };
}

/** Seconds until a retry: after a failure that may not recur, or while another executor holds the lease. */
const RETRY_SECONDS = 5;
/**
 * Interval at which an executor renews its lease and records the progress: well within the lease, and rare enough to be
 * cheap.
 */
const BEAT_MS = 2000;
const WAKE_MS = 60_000;

/**
 * Runs the clone that a project's row requests. A lease admits one executor at a time; after a crash the next one takes
 * over, three in all. The previous files stay until the clone is complete, and a snapshot keeps them. Idempotent.
 * Returns when to retry, if at all.
 */
export async function runClone(
  deps: CloneDeps,
  projectId: string,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const clone = await claimClone(deps.db, projectId);
  if (!clone) {
    await giveUpClone(deps.db, projectId);
    const current = await repositoryOf(deps.db, projectId);
    return current?.syncStatus === "cloning" ? { retryAfterSeconds: RETRY_SECONDS } : undefined;
  }
  const superseded = new AbortController();
  const timeout = AbortSignal.timeout(deps.config.GIT_CLONE_TIMEOUT_SECONDS * 1000);
  try {
    const cloned = await withHeartbeat(deps, clone, superseded, (onProgress) =>
      cloneInto(deps, clone, { signal: AbortSignal.any([superseded.signal, timeout]), onProgress }),
    );
    await finishClone(deps.db, clone, cloned);
    await touchProject(deps.db, projectId);
    return undefined;
  } catch (error) {
    if (superseded.signal.aborted) return undefined;
    const failure = timeout.aborted
      ? { error: `The clone took longer than ${deps.config.GIT_CLONE_TIMEOUT_SECONDS} s`, final: true }
      : failureOf(error);
    deps.log.warn("repository was not cloned", { project_id: projectId, final: failure.final, cause: error });
    const again = await retryClone(deps.db, clone, failure);
    return again ? { retryAfterSeconds: RETRY_SECONDS } : undefined;
  }
}

async function cloneInto(
  deps: CloneDeps,
  { projectId, userId, repoUrl, defaultBranch, leaseUntil }: Repository,
  options: { signal: AbortSignal; onProgress: (progress: GitProgress) => void },
) {
  const remote = await remoteFor(deps, { userId, url: repoUrl });
  const input = {
    remote,
    // An executor starts only after the previous lease has ended, so its own lease ends later and can serve as the
    // term.
    term: leaseUntil?.getTime() ?? 0,
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

/** Does the work while renewing the lease; `superseded` is aborted once another executor has taken over. */
async function withHeartbeat<T>(
  { db, log }: CloneDeps,
  clone: Repository,
  superseded: AbortController,
  work: (onProgress: (progress: GitProgress) => void) => Promise<T>,
): Promise<T> {
  let progress = "Connecting";
  const beat = async () => {
    try {
      if (!(await renewClone(db, clone, progress))) superseded.abort();
    } catch (error) {
      // If the database is unreachable for longer than the lease, another executor takes over, which the next renewal
      // discovers.
      log.warn("clone could not renew its lease", { project_id: clone.projectId, cause: error });
    }
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  try {
    return await work((now) => {
      progress = describeProgress(now);
    });
  } finally {
    clearInterval(timer);
  }
}

function describeProgress({ phase, loaded, total }: GitProgress): string {
  const share = total !== null && total > 0 ? ` ${Math.min(100, Math.floor((loaded / total) * 100))}%` : "";
  return phase.slice(0, 100) + share;
}

/** The reason of a failure, for the person who requested the clone, and whether a retry is pointless. */
function failureOf(error: unknown): { error: string; final: boolean } {
  if (!(error instanceof AppError)) return { error: "The repository could not be cloned", final: false };
  return { error: error.message, final: !error.retryable };
}
