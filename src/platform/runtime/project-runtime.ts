import type { ProjectCommands } from "./project-commands.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { ProjectGit } from "./project-git.ts";
import type { ProjectProcesses } from "./project-processes.ts";
import type { ProjectShells } from "./project-shells.ts";
import type { ProjectStorage } from "./project-storage.ts";

export type { FileEntry } from "./project-files.ts";
export type { ExecOptions, ExecResult } from "./project-commands.ts";

/**
 * Where a project lives, as the rest of the service sees it. Drivers implement it; one contract suite runs over every
 * driver. Failures are `AppError`s; anything that needs files is `asleep` while they are absent.
 */
export interface ProjectRuntime
  extends
    ProjectFiles,
    ProjectStorage,
    ProjectCommands,
    ProjectShells,
    ProjectProcesses,
    ProjectGit,
    AgentNotes {
  /** Delete all a project holds here, for good: whatever comes later finds nothing and leaves nothing. Safe to repeat. */
  destroy(): Promise<void>;
}

/** The part of it that the agent's tools use. */
export type AgentRuntime = ProjectFiles &
  Pick<ProjectStorage, "readEntries"> &
  ProjectCommands &
  ProjectGit &
  AgentNotes;

/** What the agent keeps beside the files. */
export interface AgentNotes {
  /** The to-do list a chat's agent keeps; JSON, opaque to the runtime. */
  readTodos(chatId: string): Promise<string | undefined>;
  writeTodos(chatId: string, todos: string): Promise<void>;
}
