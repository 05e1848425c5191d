import type { ProjectRuntime } from "./project-runtime.ts";

/** Access to projects' files and programs; callers need not know which driver keeps them. */
export interface ProjectWorkspaces {
  runtime(projectId: string): ProjectRuntime;
  /** Deletes everything of a project, for good. Idempotent. */
  destroy(projectId: string): Promise<void>;
}
