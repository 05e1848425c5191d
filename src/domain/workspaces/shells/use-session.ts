import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ShellOutput } from "#src/platform/runtime/project-shells.ts";
import type { ShellDeps } from "./open-session.ts";
import { advanceRead, endSession, openSessionsOf, recordWrite, type ShellSession } from "./queries.ts";
import { requireClosableSession, requireSession } from "./require-session.ts";

/** Attempts of a read that conflicts with other readers of the session. */
const READ_ATTEMPTS = 5;

/** The caller's open sessions; only those of the named project, if any. Throws as `requireProject` does. */
export async function listSessions(
  deps: { db: Db },
  caller: Caller,
  project: string | undefined,
): Promise<ShellSession[]> {
  const bound = caller.kind === "key" ? (caller.projectIds ?? undefined) : undefined;
  if (project === undefined) return openSessionsOf(deps.db, caller.userId, bound);
  const { id } = await requireProject(deps, caller, project, "terminal.access");
  return openSessionsOf(deps.db, caller.userId, [id]);
}

/**
 * Writes input to a session. Returns how many bytes were accepted. Throws as `requireSession` does, `conflict` for an
 * ended session.
 */
export async function writeToSession(
  deps: ShellDeps,
  caller: Caller,
  id: string,
  data: string,
): Promise<number> {
  const session = await requireSession(deps, caller, id);
  const runtime = deps.workspaces.runtime(session.projectId);
  await known(deps, session, () => runtime.writeShell(id, data));
  const bytes = new TextEncoder().encode(data).byteLength;
  await recordWrite(deps.db, id, bytes);
  return bytes;
}

/**
 * Output of a session since the last read; each byte goes to one reader only. `eof` once no more output can follow.
 * Throws as `requireSession` does.
 */
export async function readNewOutput(
  deps: ShellDeps,
  caller: Caller,
  id: string,
): Promise<{ data: Uint8Array; eof: boolean }> {
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
    const session = await requireSession(deps, caller, id);
    const output = await outputOf(deps, session);
    if (!output) return { data: new Uint8Array(), eof: true };
    const isMine = await advanceRead(deps.db, id, { from: session.readPosition, to: output.end });
    if (!isMine) continue;
    const { ended, exitCode, data } = output;
    if (ended) await endSession(deps.db, id, { status: "closed", exitCode });
    return { data, eof: ended };
  }
  throw new AppError("conflict", "Another client is reading this session's output: try again");
}

/** `undefined` if the runtime no longer has the session: it has ended, and its output is lost. */
async function outputOf(deps: ShellDeps, session: ShellSession): Promise<ShellOutput | undefined> {
  try {
    return await deps.workspaces.runtime(session.projectId).readShell(session.id, session.readPosition);
  } catch (error) {
    if (!(error instanceof AppError) || !["not_found", "asleep"].includes(error.code)) throw error;
    await endSession(deps.db, session.id, { status: "closed", exitCode: null });
    return undefined;
  }
}

/** Ends a session, its program and its output. Idempotent. Throws as `requireClosableSession` does. */
export async function closeSession(deps: ShellDeps, caller: Caller, id: string): Promise<void> {
  const session = await requireClosableSession(deps, caller, id);
  await deps.workspaces.runtime(session.projectId).closeShell(id);
  await endSession(deps.db, id, { status: "closed", exitCode: null });
}

/**
 * Calls `act` for a session that the runtime must still have. If the runtime has lost it, records its end and throws.
 */
async function known<T>(deps: ShellDeps, session: ShellSession, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isLost = error instanceof AppError && (error.code === "not_found" || error.code === "asleep");
    if (!isLost) throw error;
    await endSession(deps.db, session.id, { status: "closed", exitCode: null });
    throw new AppError("conflict", "The session has ended", { cause: error });
  }
}
