import { z } from "zod";
import { listConnectedApps } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { CLIENT_SCOPES } from "#src/mcp/server/index.ts";

export const list = endpoint({
  operationId: "listConnectedApps",
  method: "get",
  path: "/api/auth/connected-apps",
  tag: "Sessions",
  summary: "List connected apps",
  description: "Clients of MCP that the caller has allowed to act, the newest first.",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.array(
      z
        .object({
          id: z.uuid(),
          client_name: z.string().describe("What the app calls itself"),
          returns_to: z
            .string()
            .describe("Where it was sent back to: a host, `this machine`, or an app's scheme"),
          team: z.string().describe("Name of the team in which it acts"),
          scopes: z.array(z.string()),
          permissions: z
            .array(z.string())
            .describe("The scopes in the words in which the caller allowed them"),
          created_at: Moment,
          last_used_at: Moment.nullable(),
          expires_at: Moment.describe("When it must ask again unless it is used"),
        })
        .meta({ id: "ConnectedApp" }),
    ),
  },
  handler: async ({ services, caller }) =>
    (await listConnectedApps(services, caller)).map((app) => ({
      id: app.id,
      client_name: app.clientName,
      returns_to: app.returnsTo,
      team: app.team,
      scopes: app.scopes ?? [],
      permissions: CLIENT_SCOPES.filter(({ scope }) => app.scopes?.includes(scope)).map(({ words }) => words),
      created_at: app.createdAt.toISOString(),
      last_used_at: app.lastUsedAt?.toISOString() ?? null,
      expires_at: app.expiresAt.toISOString(),
    })),
});
