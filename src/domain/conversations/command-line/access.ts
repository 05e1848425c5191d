import {
  renewCaller,
  requireKeyScope,
  type Caller,
  type KeyCaller,
  type Scope,
  type StoredCaller,
} from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A message of the command line starts tasks, as a message to a chat does. */
const SENDING: Scope = "chat.send";

/**
 * Checks that a key may send messages. Returns the project that its messages are about: the named one, else the one that
 * the key is for; null for a key that is for no project, which writes in its person's default workspace. Throws
 * `forbidden`, `not_found`, and `invalid_input` for a key of several projects that names none.
 */
export async function requireCommandLine(
  deps: { db: Db },
  caller: KeyCaller,
  named: string | undefined,
): Promise<string | null> {
  const [only, ...others] = caller.projectIds ?? [];
  if (named === undefined && others.length > 0) {
    throw new AppError("invalid_input", "The key is for several projects: name one of them as project_id");
  }
  const project = named ?? only;
  if (project !== undefined) return (await requireProject(deps, caller, project, SENDING)).id;
  if (caller.projectIds !== null) throw new AppError("forbidden", "The key is for no project");
  requireKeyScope(caller, SENDING);
  return null;
}

/**
 * Reads the caller behind an open connection again, with current permissions. Throws `unauthenticated` once the key is
 * revoked or expired or its person inactive, and as `requireCommandLine` does.
 */
export async function commandLineCaller(
  deps: { db: Db },
  { standing, projectId }: { standing: StoredCaller; projectId: string | null },
): Promise<KeyCaller> {
  const caller = requireKey(await renewCaller(deps, standing));
  const current = await requireCommandLine(deps, caller, projectId ?? undefined);
  if (current !== projectId)
    throw new AppError("forbidden", "The key is for other projects now: connect again");
  return caller;
}

/** The command line is for programs with a key. Throws `unauthenticated` for a person's own sign-in. */
export function requireKey(caller: Caller): KeyCaller {
  if (caller.kind === "key") return caller;
  throw new AppError("unauthenticated", "The command line takes an API key");
}
