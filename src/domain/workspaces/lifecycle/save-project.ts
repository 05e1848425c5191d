import { z } from "zod";
import { takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";
import { lifeOf } from "./queries/wishes.ts";

/** Attempts after the first. The sweep requests another snapshot after the next use of the project. */
const RETRIES = 3;

/** A project that is in use is to be saved, against the loss of its container. */
export const saveDue = declareFunction({
  name: "save-project",
  message: z.object({ projectId: z.uuid() }),
});

/** The queue message that takes a snapshot of a project's files. */
export function saveMessage(projectId: string): QueueMessage {
  return messageTo(saveDue, { projectId }, { retries: RETRIES });
}

/**
 * Takes a snapshot of a project's files while it is in use, so that the loss of its container costs little. Nothing is frozen
 * or woken, and nothing is recorded if the files are being moved or are as in the newest snapshot. Idempotent.
 */
export async function saveProject(
  deps: TakeDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  projectId: string,
): Promise<void> {
  const life = await lifeOf(deps.db, projectId);
  if (!life || life.wanted !== null || life.lostAt !== null) return;
  if (life.status !== "running" && life.status !== "stopped") return;
  const runtime = deps.workspaces.runtime(projectId);
  if ((await runtime.storageState()).state !== "present") return;
  try {
    await takeSnapshot(deps, runtime, {
      projectId,
      role: "automatic",
      label: "automatic",
      // A transition in the meantime moves the files, and takes a snapshot of its own if it removes them.
      generation: life.generation,
      unlessUnchanged: true,
    });
  } catch (error) {
    if (error instanceof AppError && (error.code === "asleep" || error.code === "not_found")) return;
    throw error;
  }
}
