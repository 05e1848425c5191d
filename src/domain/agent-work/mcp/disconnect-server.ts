import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { givenOnly } from "./oauth-client.ts";
import type { McpServer } from "./queries.ts";
import { authorizationOf, endAuthorization } from "./queries/authorizations.ts";
import { MISSING, requireServer } from "./require-server.ts";
import { NOT_CONNECTED, revokeStored, type TokenDeps } from "./usable-token.ts";

/**
 * Forgets a server's tokens and its registration, and revokes the tokens where that is possible. Idempotent. Throws as
 * `requireServer` does, and `invalid_input` for a server without OAuth.
 */
export async function disconnectServer(
  deps: Pick<TokenDeps, "db" | "secrets" | "mcpOAuth">,
  caller: Caller,
  id: string,
  client: Client,
): Promise<McpServer> {
  const { server, logTeamId } = await requireServer(deps, caller, id, "mcp.manage");
  if (server.auth !== "oauth") throw new AppError("invalid_input", "The MCP server has no OAuth");
  const before = await authorizationOf(deps.db, id);
  const entry = { userId: caller.userId, logTeamId, client };
  const outcome = { client: givenOnly(before), lastError: NOT_CONNECTED };
  const changed = await endAuthorization(deps.db, server, outcome, entry);
  if (!changed) throw new AppError("not_found", MISSING);
  await revokeStored(deps, before);
  return changed;
}
