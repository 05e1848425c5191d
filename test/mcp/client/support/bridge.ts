import { z } from "zod";
import { createMcpClient } from "#src/platform/mcp-client/index.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";

/*
 * The client as the conformance suite runs it: a program that is given a server's address. It lists the tools and calls them, those
 * that the scenario names with its arguments.
 */

const Context = z.object({
  toolCalls: z
    .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }))
    .optional(),
});

const url = process.argv.at(-1) ?? "";
const text = process.env["MCP_CONFORMANCE_CONTEXT"];
const context = Context.safeParse(text === undefined ? {} : JSON.parse(text)).data;

const client = createMcpClient({ fetch: createGuardedFetch({ allowPrivate: true, allowedOrigins: [] }) });
const connection = await client.connect({ url, headers: {} });
const { tools } = await connection.listTools();
const calls =
  context?.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: sample(inputSchema) }));
for (const { name, arguments: args } of calls) {
  await connection
    .callTool(name, args)
    .catch((error: unknown) => process.stderr.write(`${name}: ${String(error)}\n`));
}
await connection.close();

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
