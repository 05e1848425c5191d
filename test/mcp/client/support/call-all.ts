import { z } from "zod";
import type { McpChallenge, McpClient, McpTokens } from "#src/platform/mcp-client/mcp-client.ts";
import { McpFailure } from "#src/platform/mcp-client/mcp-client.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Lists a server's tools and calls them. Returns what the server says when it wants a sign-in. Throws other failures to connect. */
export async function callAll(
  client: McpClient,
  { url, tokens }: { url: string; tokens: McpTokens | undefined },
  wanted: readonly Call[] | undefined,
): Promise<McpChallenge | undefined> {
  let challenge: McpChallenge | undefined;
  const noted = (error: unknown) => {
    if (!(error instanceof McpFailure) || error.kind !== "needs_authorization") return false;
    challenge = error.challenge ?? { isForScope: false };
    return true;
  };
  try {
    const connection = await client.connect({ url, headers: {}, tokens });
    try {
      const { tools } = await connection.listTools();
      const calls =
        wanted ?? tools.map(({ name, inputSchema }) => ({ name, arguments: sample(inputSchema) }));
      for (const { name, arguments: args } of calls) {
        await connection.callTool(name, args).catch((error: unknown) => {
          if (!noted(error)) process.stderr.write(`${name}: ${String(error)}\n`);
        });
      }
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!noted(error)) throw error;
  }
  return challenge;
}

/** The smallest arguments that a schema asks for. */
function sample(schema: unknown): Record<string, unknown> {
  const Schema = z.object({
    properties: z.record(z.string(), z.object({ type: z.string().optional() }).catch({})).default({}),
    required: z.array(z.string()).default([]),
  });
  const { properties = {}, required = [] } = Schema.safeParse(schema).data ?? {};
  const values: Record<string, unknown> = { number: 2, integer: 2, boolean: true, array: [], object: {} };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? ""] ?? "text"]));
}
