import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { lifeOf, wantAwake } from "./queries/wishes.ts";
import { publish } from "./request-state.ts";
import { requireFiles } from "./require-files.ts";

export interface WakeDeps {
  db: Db;
  queue: Pick<Queue, "publish">;
}

interface Patience {
  timeoutMs: number;
  /** Aborts the wait, with its reason. */
  signal?: AbortSignal | undefined;
}

/** The first interval between two looks at the project's row; each one is twice as long, up to the longest. */
const FIRST_LOOK_MS = 200;
const LONGEST_LOOK_MS = 4_000;

/** How often one call may find its project asleep and have it woken. */
const MAX_WAKES = 2;

/**
 * Ensures that a project's files are present: wakes the project if needed, and waits. Throws `not_found` for a deleted
 * project, `conflict` for one without files, and `unavailable` when the wake takes longer, fails, or has just failed: its
 * reason is answered at once, until a pause is over or something else is wanted.
 */
export async function awake(deps: WakeDeps, projectId: string, patience: Patience): Promise<void> {
  await waitUntilAwake(deps, projectId, patience, {
    asleep: false,
    isThere: ({ status, wanted }) =>
      (status === "stopped" || status === "running") && wanted !== "hibernated",
  });
}

type Life = NonNullable<Awaited<ReturnType<typeof lifeOf>>>;

/** `asleep` says that the files were found missing, regardless of the project's row. */
async function waitUntilAwake(
  deps: WakeDeps,
  projectId: string,
  { timeoutMs, signal }: Patience,
  { asleep, isThere }: { asleep: boolean; isThere: (life: Life) => boolean | Promise<boolean> },
): Promise<void> {
  const until = Date.now() + timeoutMs;
  let mayWake = true;
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LONGEST_LOOK_MS)) {
    const life = await lifeOf(deps.db, projectId);
    if (!life) throw new AppError("not_found", "Project not found");
    const { status, wanted, error, pausedSeconds } = life;
    requireFiles(life);
    if (await isThere(life)) return;
    if (pausedSeconds > 0) {
      throw new AppError("unavailable", error ?? WAKING, { retryAfterSeconds: pausedSeconds });
    }
    // A stop in progress is not interrupted, unless the files are already removed.
    const isOnTheWay = status === "initializing" || (wanted !== null && !(asleep && wanted === "hibernated"));
    if (!isOnTheWay) {
      if (!mayWake) throw stillWaking(WAKING);
      mayWake = false;
      await publish(deps, projectId, await wantAwake(deps.db, projectId));
    }
    const left = until - Date.now();
    if (left <= 0) throw stillWaking(status === "initializing" ? SETTING_UP : WAKING);
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookMs, left)));
    signal?.throwIfAborted();
  }
}

const WAKING = "The project is waking up; try again in a few seconds";
const SETTING_UP = "The project is being set up; try again in a few seconds";
const RETRY_SECONDS = 3;

const stillWaking = (sentence: string) =>
  new AppError("unavailable", sentence, { retryAfterSeconds: RETRY_SECONDS });

/** How long requests wait for a project to wake. */
export const REQUEST_PATIENCE_MS = 20_000;

/**
 * A runtime that wakes its project: a call that finds the project asleep waits until it is awake and is retried. Throws as
 * `awake` and the call do.
 */
export function awakeRuntime(
  deps: WakeDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  projectId: string,
  patience: Patience = { timeoutMs: REQUEST_PATIENCE_MS },
): ProjectRuntime {
  const until = Date.now() + patience.timeoutMs;
  const bare = deps.workspaces.runtime(projectId);
  // The call itself is not made in order to look: its body can be read only once.
  const isThere = async () => (await bare.storageState()).state !== "absent";
  const call = async (made: () => unknown): Promise<unknown> => {
    for (let wakes = 1; ; wakes += 1) {
      try {
        return await made();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "asleep") throw error;
        if (wakes > MAX_WAKES) throw stillWaking(WAKING);
        const timeoutMs = Math.max(0, until - Date.now());
        await waitUntilAwake(deps, projectId, { ...patience, timeoutMs }, { asleep: true, isThere });
      }
    }
  };
  return new Proxy(bare, {
    get(runtime, name) {
      const part: unknown = Reflect.get(runtime, name);
      if (typeof part !== "function") return part;
      return (...given: unknown[]) => call(() => Reflect.apply(part, runtime, given));
    },
  });
}
