import {
  claimFlowOfSession,
  type FlowDeps,
  type SessionCallback,
} from "#src/domain/access/oauth-flows/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { McpGrant } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import { oauthFailureOf } from "./failure.ts";
import { openClient } from "./oauth-client.ts";
import { storeOutcome, type McpServer } from "./queries.ts";
import { authorizationOf, endFlow, storeTokens, type Authorization } from "./queries/authorizations.ts";
import { MISSING, requireServer } from "./require-server.ts";
import { testStored, type TestDeps, type Tested } from "./test-server.ts";
import { isUnknownClient, revokeTokens, sealTokens } from "./usable-token.ts";

export type FinishDeps = FlowDeps & TestDeps;

/** What the browser sends back from an authorization server. */
interface Callback extends SessionCallback {
  client: Client;
}

/**
 * Finishes the connection of a server, in the session that began it, and connects to the server. The state is checked and used up
 * before anything else. Throws `invalid_input` with a sentence for an invalid state, another session, a refusal, and whatever else
 * ends without tokens: the server's state then says so, too.
 */
export async function finishAuthorization(
  deps: FinishDeps,
  { client, ...callback }: Callback,
): Promise<Tested> {
  const { flow, visitor, mcpServerId } = await claimFlowOfSession(deps, "mcp", callback);
  const found = await requireServer(deps, visitor, mcpServerId ?? "", "mcp.manage").catch(
    (cause: unknown) => {
      throw new AppError("invalid_input", MISSING, { cause });
    },
  );
  const { server } = found;
  const stateHash = sha256Hex(flow.state);
  const row = await authorizationOf(deps.db, server.id);
  const isLast = row?.flow?.stateHash === stateHash && row.flow.url === server.url && row.client !== null;
  if (!row?.flow || !isLast) throw ended();

  const grant = await granted(deps, row, row.flow, { ...callback, verifier: flow.verifier }).catch(
    async (error: unknown) => {
      throw await refusal(deps, { server, row, stateHash }, error);
    },
  );
  const tokens = await sealTokens(deps, grant, row.flow);
  const entry = { userId: visitor.userId, logTeamId: found.logTeamId, client };
  if (!(await storeTokens(deps.db, server, { stateHash, tokens }, entry))) {
    await revokeTokens(
      deps.mcpOAuth,
      { server: row.flow.server, client: await openClient(deps, row) },
      grant,
    );
    throw ended();
  }
  return testStored(deps, { ...server, neededScope: null });
}

const ended = () =>
  new AppError("invalid_input", "The connection was ended or begun again meanwhile: begin again");

type Flow = NonNullable<Authorization["flow"]>;

async function granted(
  deps: FinishDeps,
  row: Authorization,
  { server, resource }: Flow,
  { parameters, verifier }: { parameters: URLSearchParams; verifier: string },
): Promise<McpGrant> {
  await deps.mcpOAuth.checkIssuer(server, parameters);
  if (parameters.has("error")) throw new AppError("invalid_input", refusedBy(parameters.get("error") ?? ""));
  const code = parameters.get("code") ?? "";
  const isRepeated = parameters.getAll("code").length > 1 || parameters.getAll("iss").length > 1;
  if (code === "" || isRepeated) {
    throw new AppError("invalid_input", "The authorization server sent no code: begin again");
  }
  return deps.mcpOAuth.exchange(
    { server, client: await openClient(deps, row) },
    { code, verifier, resource },
  );
}

function refusedBy(code: string): string {
  if (code === "access_denied") return "The authorization was declined: connect again to give it";
  const shown = /^[a-z0-9_]{1,40}$/u.test(code) ? ` (${code})` : "";
  return `The authorization server refused${shown}: connect again`;
}

/** Ends a visit that came to nothing, so that its owner sees why. */
async function refusal(
  deps: FinishDeps,
  { server, row, stateHash }: { server: McpServer; row: Authorization; stateHash: string },
  error: unknown,
): Promise<unknown> {
  const failure = oauthFailureOf(error);
  const isToldAlready = error instanceof AppError && error.code === "invalid_input";
  const sentence = isToldAlready
    ? error.message
    : failure && `${failure.message}${failure.kind === "refused" ? ": connect again" : ""}`;
  const forgetsClient = isUnknownClient(failure?.code, row);
  await endFlow(deps.db, { id: server.id, stateHash, forgetsClient });
  if (sentence === undefined) return error;
  deps.log.warn("an MCP server was not connected", { mcp_server: server.id, cause: error });
  // Tokens of an earlier visit go on.
  if (row.encryptedToken === null) {
    await storeOutcome(deps.db, server, { state: "needs_authorization", lastError: sentence });
  }
  return isToldAlready ? error : new AppError("invalid_input", sentence, { cause: error });
}
