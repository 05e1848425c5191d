import { openFlow, type FlowCookie, type FlowDeps } from "#src/domain/access/oauth-flows/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { McpChallenge } from "#src/platform/mcp-client/mcp-client.ts";
import { failureOf, oauthFailureOf } from "./failure.ts";
import { clientFor, openClient, scopeFor } from "./oauth-client.ts";
import type { McpServer } from "./queries.ts";
import { authorizationOf, storeFlow } from "./queries/authorizations.ts";
import { requireServer } from "./require-server.ts";
import { openHeaders, type TestDeps } from "./test-server.ts";

export type BeginDeps = Pick<FlowDeps, "oauthStates" | "secrets"> & TestDeps;

export interface BegunAuthorization {
  /** Where to send the browser. */
  authorizationUrl: string;
  /** Host of the authorization server, to be shown. */
  host: string;
  cookie: FlowCookie;
}

/**
 * Begins to connect a server by OAuth: finds out who its authorization server is, and how this service is known there. The same
 * session must finish it. Throws as `requireServer` does, `invalid_input` for a server without OAuth and for one whose answers the
 * protocol does not allow, `unavailable` when it or its authorization server does not answer.
 */
export async function beginAuthorization(
  deps: BeginDeps,
  caller: UserCaller,
  id: string,
): Promise<BegunAuthorization> {
  const { server } = await requireServer(deps, caller, id, "mcp.manage");
  if (server.auth !== "oauth") {
    throw new AppError("invalid_input", "The MCP server has no OAuth: set auth to oauth first");
  }
  try {
    return await begin(deps, caller, server);
  } catch (error) {
    const failure = oauthFailureOf(error);
    if (!failure) throw error;
    throw new AppError(failure.kind === "unreachable" ? "unavailable" : "invalid_input", failure.message, {
      cause: error,
    });
  }
}

async function begin(deps: BeginDeps, caller: UserCaller, server: McpServer): Promise<BegunAuthorization> {
  const { db, mcpOAuth } = deps;
  const { id, url, neededScope } = server;
  const challenge = await challengeOf(deps, server);
  const [discovered, row] = await Promise.all([mcpOAuth.discover(url, challenge), authorizationOf(db, id)]);
  const scope = scopeFor([row?.grantor?.scope, neededScope, challenge.scope], discovered);
  const stored = await clientFor(deps, row, discovered);
  const client = await openClient(deps, stored).catch((cause: unknown) => {
    throw new AppError("invalid_input", "The client secret can no longer be decrypted: enter it again", {
      cause,
    });
  });
  const { flow, cookie } = await openFlow(deps, "mcp", { sessionId: caller.sessionId, mcpServerId: id });
  const { server: asked, resource } = discovered;
  const { userId } = caller;
  const visit = { server: asked, resource, scope, url, userId, stateHash: sha256Hex(flow.state) };
  if (!(await storeFlow(db, server, stored, visit))) {
    throw new AppError("conflict", "The MCP server was changed meanwhile: look at it again");
  }
  const authorizationUrl = await mcpOAuth.authorizationUrl(
    { server: asked, client },
    { ...flow, resource, scope },
  );
  return { authorizationUrl, host: new URL(asked.authorizationEndpoint).host, cookie };
}

/** What the server says to a request without a token. Throws `unavailable` when it says nothing. */
async function challengeOf(deps: BeginDeps, server: McpServer): Promise<Partial<McpChallenge>> {
  const headers = await openHeaders(deps, server.encryptedHeaders).catch(() => ({}));
  try {
    const connection = await deps.mcpClient.connect({ url: server.url, headers });
    try {
      await connection.listTools();
    } finally {
      await connection.close();
    }
    return {};
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    if (failure.kind === "unreachable") throw new AppError("unavailable", failure.message, { cause: error });
    return failure.challenge ?? {};
  }
}
