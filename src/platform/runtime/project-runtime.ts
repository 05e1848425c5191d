import type { ProjectCommands } from "./project-commands.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { ProjectGit } from "./project-git.ts";
import type { ProjectPipes } from "./project-pipes.ts";
import type { ProjectProcesses } from "./project-processes.ts";
import type { ProjectShells } from "./project-shells.ts";
import type { ProjectStorage } from "./project-storage.ts";

export type { FileEntry } from "./project-files.ts";
export type { ExecOptions, ExecResult } from "./project-commands.ts";

/**
 * A project's files and programs. Drivers implement this; one contract suite tests every driver. Failures are
 * `AppError`s; every operation on files is `asleep` while they are absent.
 */
export interface ProjectRuntime
  extends
    ProjectFiles,
    ProjectStorage,
    ProjectCommands,
    ProjectShells,
    ProjectPipes,
    ProjectProcesses,
    ProjectGit,
    AgentNotes {
  /** Deletes everything of a project, for good: later calls find nothing and leave nothing. Idempotent. */
  destroy(): Promise<void>;
}

/** The part that the agent's tools use. */
export type AgentRuntime = ProjectFiles &
  Pick<ProjectStorage, "readEntries"> &
  ProjectCommands &
  ProjectGit &
  AgentNotes;

/** The agent's data beside the files. */
export interface AgentNotes {
  /** Returns the to-do list of a chat's agent; JSON, opaque to the runtime. */
  readTodos(chatId: string): Promise<string | undefined>;
  writeTodos(chatId: string, todos: string): Promise<void>;
}
