import { authorize, requireKeyScope, type Caller, type Scope } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { serverWithRole, type FoundServer } from "./queries.ts";

export const MISSING = "MCP server not found";

/** Checks a caller's permission on a server. Throws as `authorize` does. */
export function authorizeServer(caller: Caller, scope: Scope, { server, role }: FoundServer): void {
  if (caller.kind === "key" && caller.projectIds !== null && server.projectId === null) {
    throw new AppError("not_found", MISSING);
  }
  authorize(
    caller,
    scope,
    {
      role,
      ...(server.userId !== null && { ownerId: server.userId }),
      ...(server.teamId !== null && { teamId: server.teamId }),
      ...(server.projectId !== null && { projectId: server.projectId }),
    },
    MISSING,
  );
}

/** A server on which the caller has the permission. Throws `not_found`, also for another tenant's, and `forbidden`. */
export async function requireServer(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: "mcp.view" | "mcp.manage",
): Promise<FoundServer> {
  const found = isId(id) ? await serverWithRole(deps.db, caller.userId, id) : undefined;
  if (!found) throw new AppError("not_found", MISSING);
  authorizeServer(caller, scope, found);
  return found;
}

/** Checks that a caller may start a stdio server: it is a program as any other in the project. Throws `forbidden` for a key that may not. */
export function requireStart(caller: Caller): void {
  if (caller.kind === "key") requireKeyScope(caller, "terminal.access");
}
