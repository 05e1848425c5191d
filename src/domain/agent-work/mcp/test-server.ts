import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ListedTools, McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { failureOf, UnreadableSecrets } from "./failure.ts";
import { pinTools } from "./listed-tools.ts";
import { requireServer } from "./require-server.ts";
import { storeOutcome, type McpServer, type ServerOutcome } from "./queries.ts";
import { headersOf, openCredentials } from "./sealed-headers.ts";

export interface TestDeps {
  db: Db;
  secrets: Pick<Secrets, "decrypt">;
  mcpClient: McpClient;
}

/** How a test came out. */
export interface Tested {
  server: McpServer;
  /** What is wrong; null where nothing is. */
  error: string | null;
}

/**
 * Connects to a server, lists its tools, and keeps what is new among them: its owner sees the list. Throws as `requireServer` does;
 * a server that cannot be used is an outcome. Throws `conflict` when it was changed meanwhile.
 */
export async function testServer(deps: TestDeps, caller: Caller, id: string): Promise<Tested> {
  const { server } = await requireServer(deps, caller, id, "mcp.manage");
  return testStored(deps, server);
}

export async function testStored(deps: TestDeps, server: McpServer): Promise<Tested> {
  const outcome = await outcomeOf(deps, server);
  const stored = await storeOutcome(deps.db, server, outcome, server.tools);
  if (!stored) throw new AppError("conflict", "The MCP server was changed meanwhile: look at it again");
  return { server: stored, error: outcome.lastError };
}

async function outcomeOf(deps: TestDeps, server: McpServer): Promise<ServerOutcome> {
  try {
    return { state: "connected", lastError: null, ...pinTools(server.tools, await listOf(deps, server)) };
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    return { state: failure.kind, lastError: failure.message };
  }
}

async function listOf(
  { mcpClient, ...deps }: TestDeps,
  { url, encryptedHeaders }: McpServer,
): Promise<ListedTools> {
  const headers = await openHeaders(deps, encryptedHeaders);
  const connection = await mcpClient.connect({ url, headers });
  try {
    return await connection.listTools();
  } finally {
    await connection.close();
  }
}

/** The headers for requests to a server. Throws `UnreadableSecrets`. */
export async function openHeaders(
  deps: Pick<TestDeps, "secrets">,
  encrypted: string | null,
): Promise<Record<string, string>> {
  try {
    return headersOf(await openCredentials(deps, encrypted));
  } catch (cause) {
    throw new UnreadableSecrets(cause);
  }
}
