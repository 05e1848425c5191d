import { settleMessage } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { lifeOf, wantAwake } from "./queries/wishes.ts";

export interface WakeDeps {
  db: Db;
  queue: Pick<Queue, "publish">;
}

interface Patience {
  timeoutMs: number;
  /** Aborts the wait, with its reason. */
  signal?: AbortSignal | undefined;
}

/** Poll interval. */
const LOOK_MS = 200;

/**
 * Ensures that a project's files are present: wakes the project if needed, and waits. Throws `not_found` for a deleted
 * project, `conflict` for one without files, and `unavailable` when the wake failed or takes longer.
 */
export async function awake(deps: WakeDeps, projectId: string, patience: Patience): Promise<void> {
  await waitUntilAwake(deps, projectId, patience, { asleep: false });
}

/** `asleep` says that the files were found missing, regardless of the project's row. */
async function waitUntilAwake(
  { db, queue }: WakeDeps,
  projectId: string,
  { timeoutMs, signal }: Patience,
  { asleep }: { asleep: boolean },
): Promise<void> {
  const until = Date.now() + timeoutMs;
  let mayWake = true;
  for (let mustWake = asleep; ; mustWake = false) {
    const life = await lifeOf(db, projectId);
    if (!life) throw new AppError("not_found", "Project not found");
    const { status, wanted, error } = life;
    if (status === "failed") throw new AppError("conflict", error ?? "The project could not be set up");
    const isThere = (status === "stopped" || status === "running") && wanted !== "hibernated";
    if (isThere && !mustWake) return;
    // A stop in progress is not interrupted, unless the files are already removed.
    const isOnTheWay = status === "initializing" || (wanted !== null && !(asleep && wanted === "hibernated"));
    if (!isOnTheWay) {
      // Wakes once only: a failed wake has recorded its reason.
      if (!mayWake) throw new AppError("unavailable", error ?? WAKING, { retryAfterSeconds: RETRY_SECONDS });
      mayWake = false;
      if (await wantAwake(db, projectId)) await queue.publish(settleMessage(projectId));
    }
    if (Date.now() >= until) {
      throw new AppError("unavailable", status === "initializing" ? SETTING_UP : WAKING, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal?.throwIfAborted();
  }
}

const WAKING = "The project is waking up; try again in a few seconds";
const SETTING_UP = "The project is being set up; try again in a few seconds";
const RETRY_SECONDS = 3;

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
  const call = async (made: () => unknown): Promise<unknown> => {
    for (;;) {
      try {
        return await made();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "asleep") throw error;
        const timeoutMs = Math.max(0, until - Date.now());
        await waitUntilAwake(deps, projectId, { ...patience, timeoutMs }, { asleep: true });
      }
    }
  };
  return new Proxy(deps.workspaces.runtime(projectId), {
    get(runtime, name) {
      const part: unknown = Reflect.get(runtime, name);
      if (typeof part !== "function") return part;
      return (...given: unknown[]) => call(() => Reflect.apply(part, runtime, given));
    },
  });
}
