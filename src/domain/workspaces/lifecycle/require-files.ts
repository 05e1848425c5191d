import type { Project } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";

/** By this field of a refusal clients know that a person has to choose how the project starts again. */
const FILES_LOST = { code: "files_lost" };

/** Throws `conflict` for a project whose setup has failed, or whose files are gone for good. */
export function requireFiles({ status, error, lostAt }: Pick<Project, "status" | "error" | "lostAt">): void {
  if (lostAt !== null) throw new AppError("conflict", error ?? LOST, { extra: FILES_LOST });
  if (status === "failed") throw new AppError("conflict", error ?? "The project could not be set up");
}

const LOST = "The project's files are lost";
