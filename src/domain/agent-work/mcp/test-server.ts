import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ListedTools, McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { failureOf, neededScopeOf, UnreadableSecrets } from "./failure.ts";
import { pinTools } from "./listed-tools.ts";
import { requireServer, requireStart } from "./require-server.ts";
import { storeOutcome, type McpServer, type ServerOutcome } from "./queries.ts";
import { headersOf, openCredentials } from "./sealed-headers.ts";
import { isStdio } from "./stdio-program.ts";
import { targetOf, type ReachDeps } from "./target.ts";
import { tokensOf, type TokenDeps } from "./usable-token.ts";

export interface TestDeps extends TokenDeps, Omit<ReachDeps, "secrets"> {
  mcpClient: McpClient;
}

/** How a test came out. */
export interface Tested {
  server: McpServer;
  /** What is wrong; null where nothing is. */
  error: string | null;
}

/**
 * Connects to a server, lists its tools, and keeps what is new among them: its owner sees the list. Throws as `requireServer` and `requireStart` do;
 * a server that cannot be used is an outcome. Throws `conflict` when it was changed meanwhile.
 */
export async function testServer(deps: TestDeps, caller: Caller, id: string): Promise<Tested> {
  const { server } = await requireServer(deps, caller, id, "mcp.manage");
  if (isStdio(server)) requireStart(caller);
  return testStored(deps, server);
}

export async function testStored(deps: TestDeps, server: McpServer): Promise<Tested> {
  const outcome = await outcomeOf(deps, server);
  const stored = await storeOutcome(deps.db, server, outcome, { seen: server.tools });
  if (!stored) throw new AppError("conflict", "The MCP server was changed meanwhile: look at it again");
  return { server: stored, error: stored.lastError };
}

async function outcomeOf(deps: TestDeps, server: McpServer): Promise<ServerOutcome> {
  try {
    return { state: "connected", lastError: null, ...pinTools(server.tools, await listOf(deps, server)) };
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    return { state: failure.kind, lastError: failure.message, neededScope: neededScopeOf(failure) };
  }
}

async function listOf(deps: TestDeps, server: McpServer): Promise<ListedTools> {
  const headers = await openHeaders(deps, server.encryptedHeaders);
  const target = targetOf(deps, server, { headers, tokens: tokensOf(deps, server) });
  const connection = await deps.mcpClient.connect(target);
  try {
    return await connection.listTools();
  } finally {
    await connection.close();
  }
}

/** The headers for requests to a server. Throws `UnreadableSecrets`. */
export async function openHeaders(
  deps: { secrets: Pick<Secrets, "decrypt"> },
  encrypted: string | null,
): Promise<Record<string, string>> {
  try {
    return headersOf(await openCredentials(deps, encrypted));
  } catch (cause) {
    throw new UnreadableSecrets(cause);
  }
}
