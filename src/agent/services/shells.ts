import { memberCaller } from "#src/domain/access/permissions/index.ts";
import {
  closeSession,
  openSession,
  readNewOutput,
  requireSession,
  resumeSession,
  writeToSession,
} from "#src/domain/workspaces/shells/index.ts";
import { AppError } from "#src/lib/errors.ts";

/**
 * Shell sessions of the agent: those of the task's user in the task's project, which the user also sees in the
 * project's list. They outlive turns, steps and tasks, and end when they are idle, with their chat or with the
 * project's runtime. Every call throws `not_found` for any other session.
 */
export interface AgentShells {
  /**
   * Returns the session's id. Throws `invalid_input` where the project does not run, `not_found` for an unknown
   * container, and `rate_limited` where too many sessions are open.
   */
  open(wish: { command: string; container: string | undefined }): Promise<string>;
  /** Throws `conflict` when the session is over. */
  write(id: string, data: string): Promise<void>;
  /** Returns the output since the last read, at most 1 MiB; `ended` is true when no more follows. */
  read(id: string): Promise<{ data: Uint8Array; ended: boolean }>;
  /** Exit code of the program; null while it runs or when the code is unknown. */
  exitCode(id: string): Promise<number | null>;
  /** Idempotent. */
  close(id: string): Promise<void>;
}

export type AgentShellDeps = Parameters<typeof openSession>[0];

/** The sessions of the user who started a task. The user's rights are checked again at every call. */
export function agentShells(
  deps: AgentShellDeps,
  { userId, projectId, chatId }: { userId: string; projectId: string; chatId: string },
): AgentShells {
  const caller = memberCaller(userId);
  const requireOwn = async (id: string) => {
    const session = await requireSession(deps, caller, id);
    if (session.projectId !== projectId) throw new AppError("not_found", "Shell session not found");
    return session;
  };
  return {
    async open({ command, container }) {
      const { id } = await openSession(deps, caller, { project: projectId, command, container, chatId });
      return id;
    },
    async write(id, data) {
      await resumeSession(deps, caller, { id, projectId });
      await writeToSession(deps, caller, id, data);
    },
    async read(id) {
      await requireOwn(id);
      const { data, eof } = await readNewOutput(deps, caller, id);
      return { data, ended: eof };
    },
    async exitCode(id) {
      return (await requireOwn(id)).exitCode;
    },
    async close(id) {
      await requireOwn(id);
      await closeSession(deps, caller, id);
    },
  };
}
