import type { UserCaller } from "#src/domain/organisations/access/index.ts";
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
 * Shell sessions as the agent has them: those of the task's person in the task's project, which the person sees in the
 * project's list as well. They outlive turns, steps and tasks, and end when nobody uses them, with their chat or with the
 * project's runtime. Every call throws `not_found` for any other session.
 */
export interface AgentShells {
  /**
   * Answers the session's id. Throws `invalid_input` where the project does not run, `not_found` for an unknown container, and
   * `rate_limited` where too many sessions are open.
   */
  open(wish: { command: string; container: string | undefined }): Promise<string>;
  /** Throws `conflict` where the session is over. */
  write(id: string, data: string): Promise<void>;
  /** What came since the last read, at most 1 MiB; `ended` once nothing comes any more. */
  read(id: string): Promise<{ data: Uint8Array; ended: boolean }>;
  /** Of the program; null while it runs, or when nobody knows. */
  exitCode(id: string): Promise<number | null>;
  /** Safe to repeat. */
  close(id: string): Promise<void>;
}

export type AgentShellDeps = Parameters<typeof openSession>[0];

/** The sessions of the person who started a task. That person's rights are looked at again at every call. */
export function agentShells(
  deps: AgentShellDeps,
  { userId, projectId, chatId }: { userId: string; projectId: string; chatId: string },
): AgentShells {
  // A task holds no sign-in and none of an administrator's rights: it acts as a member, whoever started it.
  const caller: UserCaller = { kind: "user", userId, sessionId: "", isSuperuser: false };
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
