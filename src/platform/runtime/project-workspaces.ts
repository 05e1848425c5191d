import type { ProjectRuntime } from "./project-runtime.ts";

/** How the rest of the code reaches projects' files and programs, without knowing which driver keeps them. */
export interface ProjectWorkspaces {
  runtime(projectId: string): ProjectRuntime;
  /** Delete all a project holds, for good. Safe to repeat. */
  destroy(projectId: string): Promise<void>;
}
