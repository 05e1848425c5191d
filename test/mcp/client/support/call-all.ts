import { z } from "zod";
import { readAskedInput } from "#src/domain/agent-work/mcp/index.ts";
import type {
  McpAnswer,
  McpChallenge,
  McpClient,
  McpConnection,
  McpTokens,
} from "#src/platform/mcp-client/mcp-client.ts";
import { McpFailure } from "#src/platform/mcp-client/mcp-client.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * Lists a server's tools and calls them. Returns what the server says when it wants a sign-in. Adds what failed at tools to
 * `failures`, and throws other failures.
 */
export async function callAll(
  client: McpClient,
  { url, tokens }: { url: string; tokens: McpTokens | undefined },
  { wanted, failures }: { wanted: readonly Call[] | undefined; failures: string[] },
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
        await answered(connection, name, args).catch((error: unknown) => {
          if (!noted(error)) failures.push(`${name}: ${String(error)}`);
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

async function onQuestion(params: unknown): Promise<McpAnswer> {
  const read = readAskedInput("suite", params, (text) => text);
  if ("problem" in read) return { action: "decline" };
  const presets = (read.asked.fields ?? []).flatMap((field) => {
    const value = field.default ?? (field.type === "boolean" ? true : undefined);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { action: "accept", content: Object.fromEntries(presets) };
}

/** Calls a tool, and again with the defaults of what it asks for, as a person answers who changes nothing. */
async function answered(connection: McpConnection, name: string, args: Record<string, unknown>) {
  let result = await connection.callTool(name, args, { onQuestion });
  for (let rounds = 0; "asks" in result && rounds < 5; rounds += 1) {
    const answers = await Promise.all(
      result.asks.map(async ({ key, params }) => [key, await onQuestion(params)] as const),
    );
    const input = { answers: Object.fromEntries(answers), state: result.state };
    result = await connection.callTool(name, args, { onQuestion, input });
  }
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
