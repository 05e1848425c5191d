import { z } from "zod";
import { countCalls } from "#src/domain/operations/limits/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { isOwnHost, isOwnOrigin } from "#src/http/origin.ts";
import { AppError } from "#src/lib/errors.ts";
import { MCP_PATHS, mcpResource } from "#src/lib/mcp-address.ts";
import { answerMcp, SERVER, TOOLS } from "#src/mcp/server/index.ts";

/** Messages of a batch, which clients of 2025-03-26 send. */
const MAX_BATCH = 10;

/** The others are where clients of other installations look for it. A slash at the end is accepted on every path. */
const [PATH, ...aliases] = MCP_PATHS;

const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});

const Answer = z
  .looseObject({ jsonrpc: z.literal("2.0"), id: z.union([z.string(), z.number()]).nullable().optional() })
  .meta({ id: "McpMessage" });

export const callMcp = endpoint({
  operationId: "callMcp",
  method: "post",
  path: PATH,
  aliases,
  tag: "MCP",
  summary: "Send an MCP message",
  description:
    "The service as a server of the Model Context Protocol: streamable HTTP without sessions, of the revision 2026-07-28 and of older ones. The permissions of the key, or of the connected app, decide which tools are listed. Without either, 401 says where a client learns how to sign in.",
  access: { key: "any", connectedApps: true },
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  body: z.union([Message, z.array(Message).min(1).max(MAX_BATCH)]),
  refusals: [400, 404],
  response: { status: 200, orStatus: 202, schema: Answer, streamed: Answer },
  async handler({ services, caller, request, body, requestId, waitUntil }) {
    if (!isOwnHost(new URL(request.url), services.config)) {
      throw new AppError("forbidden", "This host name is not the service's: call PUBLIC_URL");
    }
    const origin = request.headers.get("origin");
    // Unlike elsewhere also with a key: the protocol has no use for pages of other origins.
    if (origin !== null && !isOwnOrigin(origin, request.url, services.config)) {
      throw new AppError("forbidden", "Requests from pages of another origin are refused");
    }
    // The first message is counted as the request.
    const calls = Array.isArray(body) ? body.length - 1 : 0;
    await countCalls(services, { rule: "key", id: caller.keyId, calls });
    return answerMcp(request, body, { services, caller, requestId, waitUntil });
  },
});

export const describeMcp = endpoint({
  operationId: "describeMcp",
  method: "get",
  path: PATH,
  aliases,
  tag: "MCP",
  summary: "Describe the MCP server",
  description:
    "The address and the tools. A client that asks for a stream of events gets 405: there is none.",
  access: "public",
  response: {
    status: 200,
    schema: z.object({
      name: z.string(),
      description: z.string(),
      transport: z.literal("streamable-http"),
      endpoint: z.url(),
      tools: z.array(z.object({ name: z.string(), description: z.string() })),
    }),
  },
  async handler({ services, request }) {
    if (request.headers.get("accept")?.includes("text/event-stream")) {
      const detail = "There is no stream of events here: send messages with POST";
      return Response.json({ detail }, { status: 405, headers: { Allow: "POST" } });
    }
    return {
      name: SERVER.name,
      description: SERVER.title,
      transport: "streamable-http" as const,
      endpoint: mcpResource(services.config),
      tools: TOOLS.map(({ name, description }) => ({ name, description })),
    };
  },
});
