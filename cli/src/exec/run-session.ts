import { setTimeout as pause } from "node:timers/promises";
import { WorkspaceError, type Workspace } from "@agent-workspace/client";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { startProject } from "./start-project.ts";

/** Between reads, in milliseconds: short while output comes, longer while none does. */
const POLL_MS = { least: 50, most: 500 };

interface Run {
  readonly project: string;
  /** Command line of the session. */
  readonly command: string;
  readonly signal: AbortSignal;
  readonly show: (output: Uint8Array) => Promise<void>;
}

/**
 * Runs a command in a shell session of the project and resolves to its exit code. Output is shown as it comes. The command is
 * ended, with all that it started, when the signal aborts; the signal's reason is thrown then.
 */
export async function runSession(
  workspace: Workspace,
  { project, command, signal, show }: Run,
): Promise<number> {
  await startProject(workspace, project, signal);
  // Without the signal: a session whose answer is not awaited would run on.
  const body = { project_id: project, command };
  const { session_id: shell } = await workspace.request("POST", "/api/shell/sessions", { body });
  const path = { shell };
  try {
    signal.throwIfAborted();
    let received = 0;
    let wait = POLL_MS.least;
    for (;;) {
      const read = await workspace.request("GET", "/api/shell/sessions/{shell}/output", { path, signal });
      const output = Buffer.from(read.output, "base64");
      received += output.length;
      if (output.length > 0) await show(output);
      if (read.is_eof) break;
      wait = output.length > 0 ? POLL_MS.least : Math.min(wait * 2, POLL_MS.most);
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    const session = await workspace.request("GET", "/api/shell/sessions/{shell}", { path, signal });
    // Each byte is given once: a read whose answer was lost, and which was repeated, has lost some.
    if (session.bytes_read !== received) {
      throw new CommandError(
        EXIT.failed,
        "output_lost",
        "A part of the command's output was lost on the way",
      );
    }
    if (session.exit_code === null) {
      throw new CommandError(
        EXIT.failed,
        "ended",
        "The command was ended, with its project or by the service",
      );
    }
    return session.exit_code;
  } finally {
    // Without the signal: a stopped command is ended, too.
    await workspace.request("DELETE", "/api/shell/sessions/{shell}", { path }).catch(ignoreRefusal);
  }
}

/** The session is over; that it cannot be closed any more changes nothing. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof WorkspaceError)) throw error;
}
