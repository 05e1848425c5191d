import { z } from "zod";
import { isScope } from "#src/domain/access/permissions/index.ts";
import { createApiKey, type KeyInput } from "#src/domain/programs/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId, moment, text } from "#src/http/schemas.ts";
import { describeKey, Key } from "./key.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const Body = z
  .object({
    name: text({ min: 1, max: 100, trim: true }),
    scopes: z
      .array(z.string().refine(isScope, "is not a known permission"))
      .nullish()
      .describe("Permissions; when absent or null, all that the caller's role grants"),
    project_id: z.uuid().nullish(),
    project_ids: z.array(z.uuid()).min(1).max(100).nullish(),
    scope: z.enum(["project", "team"]).nullish().describe("`project` needs a project; `team` takes none"),
    agent_id: AgentId.nullish().describe("Agent for calls that do not name one"),
    expires_at: moment().nullish(),
    expires_in_days: z.int().min(1).max(36_500).nullish(),
  })
  .transform((body, context): KeyInput => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const bound = [...(body.project_id ? [body.project_id] : []), ...(body.project_ids ?? [])];
    const projectIds = [...new Set(bound.map((id) => id.toLowerCase()))];
    if (body.scope === "project" && projectIds.length === 0) {
      wrong("project_id", "is required for a key with scope `project`");
    }
    if (body.scope === "team" && projectIds.length > 0) {
      wrong("scope", "`team` reaches every project; leave project_id out, or use scope `project`");
    }
    const inDays = body.expires_in_days ? new Date(Date.now() + body.expires_in_days * DAY_MS) : null;
    const expiresAt = body.expires_at ?? inDays;
    if (expiresAt && expiresAt.getTime() <= Date.now()) wrong("expires_at", "must be in the future");
    return {
      name: body.name,
      scopes: body.scopes ? [...new Set(body.scopes)] : null,
      projectIds: projectIds.length > 0 ? projectIds : null,
      expiresAt,
      agentId: body.agent_id ?? null,
    };
  });

export const createKey = endpoint({
  operationId: "createApiKey",
  method: "post",
  path: "/api/external-api-keys",
  aliases: ["/api/external/keys"],
  summary: "Create an API key",
  description: "For the external agent API. The raw key is returned only in this response.",
  tag: "External keys",
  access: { user: "any" },
  example: { name: "ci" },
  body: Body,
  response: { status: 200, schema: Key },
  async handler({ services, caller, body, client }) {
    const { key, ...shownOnce } = await createApiKey(services, caller, body, client);
    return describeKey(key, shownOnce);
  },
});
