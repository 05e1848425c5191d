import type { AgentShells } from "#src/agent/services/shells.ts";
import { AppError } from "#src/lib/errors.ts";

/** A session that is open from the beginning. */
export const OPEN_SHELL = "0199c0de-0000-7000-8000-200000000000";

/**
 * Shell sessions in memory. `answer` says what a program puts out for what was typed, and whether it ends then; without one
 * every shell repeats what it is told. `typed` is what was done, in order; a close is `closed`.
 */
export function memoryShells(
  answer: (typed: string) => { output: string; exitCode?: number } = (typed) => ({ output: typed }),
): AgentShells & { typed: string[] } {
  const sessions = new Map<string, { unread: string; exitCode: number | undefined }>([
    [OPEN_SHELL, { unread: "", exitCode: undefined }],
  ]);
  const typed: string[] = [];
  const sessionOf = (id: string) => {
    const session = sessions.get(id);
    if (!session) throw new AppError("not_found", "Shell session not found");
    return session;
  };
  return {
    typed,
    async open() {
      const id = `0199c0de-0000-7000-8000-1${String(sessions.size).padStart(11, "0")}`;
      sessions.set(id, { unread: "", exitCode: undefined });
      return id;
    },
    async write(id, data) {
      const session = sessionOf(id);
      if (session.exitCode !== undefined) throw new AppError("conflict", "The session has ended");
      typed.push(data);
      const { output, exitCode } = answer(data);
      session.unread += output;
      session.exitCode = exitCode;
    },
    async read(id) {
      const session = sessionOf(id);
      const data = new TextEncoder().encode(session.unread);
      session.unread = "";
      return { data, ended: session.exitCode !== undefined };
    },
    async exitCode(id) {
      return sessionOf(id).exitCode ?? null;
    },
    async close(id) {
      sessionOf(id);
      sessions.delete(id);
      typed.push("closed");
    },
  };
}
