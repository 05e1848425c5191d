import { z } from "zod";
import { readLimits } from "#src/domain/people/limits/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

const Limit = z
  .object({
    name: z.string().describe("What is counted, e.g. `channel_connections`"),
    whose: z
      .enum(["person", "team", "project", "chat", "address", "person and task", "person and project"])
      .describe("Whose are counted together; `team` is the caller's default team"),
    used: z.int().nullable().describe("Null where it is counted for each project, chat, address or task"),
    max: z.int().nullable().describe("Null for no limit"),
  })
  .meta({ id: "Limit" });

export const getLimits = endpoint({
  operationId: "getLimits",
  method: "get",
  path: "/api/users/me/limits",
  summary: "List limits",
  description: "How many of each thing the caller and their team hold, and how many they may hold.",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ limits: z.array(Limit) }) },
  handler: async ({ services, caller }) => ({ limits: await readLimits(services, caller) }),
});
