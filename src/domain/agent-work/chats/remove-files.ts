import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";

/** Folder of a project in which each chat has a folder for its attachments. */
export const UPLOADS_FOLDER = ".chat";

export interface RemoveFilesDeps {
  workspaces: { runtime: (projectId: string) => Pick<ProjectFiles, "remove"> };
  log: Log;
}

/**
 * Removes files of a project on a best-effort basis. A hibernated project is not woken and keeps them.
 */
export async function removeFiles(
  { workspaces, log }: RemoveFilesDeps,
  projectId: string,
  paths: readonly string[],
): Promise<void> {
  const runtime = workspaces.runtime(projectId);
  for (const path of paths) {
    try {
      await runtime.remove(path, { recursive: false });
    } catch (cause) {
      if (cause instanceof AppError && (cause.code === "not_found" || cause.code === "asleep")) continue;
      log.warn("an attachment's file was not removed", { project_id: projectId, cause });
    }
  }
}
