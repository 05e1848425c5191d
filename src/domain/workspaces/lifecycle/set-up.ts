import { restoreSnapshot } from "#src/domain/workspaces/archives/index.ts";
import { unpackBase } from "#src/domain/workspaces/bases/index.ts";
import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { parseRepositoryUrl, recordCloned } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { GitProgress } from "#src/git/protocol.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import type { ProjectSource } from "#src/db/schema/index.ts";
import type { Executor } from "./executor.ts";
import { endCreation, SET_UP } from "./queries/transition.ts";

/** Shortest interval between two progress reports of a clone. */
const PROGRESS_MS = 1_000;

/** Creates a project's initial files. Idempotent: each source replaces what is there. */
export async function setUp(executor: Executor): Promise<void> {
  const { deps, runtime, generation, project } = executor;
  const { source } = project;
  await executor.report({ percentage: 10, message: "Fetching the initial files" });
  // A new project's runtime is empty. One that had files before may have been discarded or lost.
  if (generation > 1 && (await runtime.storageState()).state === "absent") {
    await runtime.replaceEntries(nothing(), generation);
  }
  switch (source?.kind) {
    case "git":
      await clone(executor, source);
      break;
    case "base":
      await unpackBase(deps, runtime, { baseId: source.baseId, generation });
      break;
    case "fork":
      await restoreSnapshot(deps, runtime, { projectId: source.projectId, hash: source.hash, generation });
      break;
    case undefined:
      break;
  }
  await executor.store({
    change: SET_UP,
    also: (isHeld) => [endCreation(deps.db, project, isHeld)],
    isProgress: true,
  });
}

async function* nothing(): AsyncGenerator<EntryWithContent> {}

async function clone(
  executor: Executor,
  { url, branch }: Extract<ProjectSource, { kind: "git" }>,
): Promise<void> {
  const { deps, runtime, generation, project, signal } = executor;
  const address = parseRepositoryUrl(url);
  const userId = project.ownerId;
  const seconds = deps.config.GIT_CLONE_TIMEOUT_SECONDS;
  using limit = timeLimit(seconds * 1000);
  const timeout = limit.signal;
  const remote = await remoteFor(deps, { userId, url: address.url });
  let told = Promise.resolve();
  const cloned = await runtime
    .git(
      "clone",
      // Later clones use timestamps as terms, which are far larger.
      { remote, term: generation, ...(branch !== null && { branch }) },
      {
        signal: AbortSignal.any([signal, timeout]),
        onProgress: nowAndThen((progress) => {
          told = told.then(() => tell(executor, progress));
        }),
      },
    )
    .catch((cause: unknown) => {
      // Another attempt would take as long.
      if (timeout.aborted) throw new AppError("conflict", `The clone took more than ${seconds} s`, { cause });
      throw cause;
    });
  await told;
  await recordCloned(deps.db, {
    projectId: project.id,
    userId,
    address,
    branch: cloned.branch,
    commitSha: cloned.commitSha,
  });
}

async function tell(executor: Executor, { phase, loaded, total }: GitProgress): Promise<void> {
  const part = total === null || total === 0 ? 0 : Math.min(1, loaded / total);
  const message = total === null ? `Cloning: ${phase}` : `Cloning: ${phase} ${Math.round(part * 100)} %`;
  await executor
    .report({ percentage: 20 + Math.round(part * 60), message })
    .catch((cause: unknown) =>
      executor.deps.log.warn("progress was not recorded", { project_id: executor.project.id, cause }),
    );
}

/** Drops calls that come too soon after the last one that passed. */
function nowAndThen<T>(call: (value: T) => void): (value: T) => void {
  let next = 0;
  return (value) => {
    if (Date.now() < next) return;
    next = Date.now() + PROGRESS_MS;
    call(value);
  };
}
