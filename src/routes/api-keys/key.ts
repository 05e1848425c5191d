import { z } from "zod";
import type { ApiKey } from "#src/domain/programs/api-keys/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** A key as its owner sees it, with the field names of both client families. */
export const Key = z
  .object({
    id: z.uuid(),
    key_id: z.uuid(),
    name: z.string(),
    key_prefix: z.string().describe("First eight characters of the key, to identify it"),
    scope: z.enum(["project", "team"]),
    scopes: z.array(z.string()).nullable().describe("Permissions; null for all that the owner's role grants"),
    project_id: z.uuid().nullable().describe("The first of `project_ids`"),
    project_ids: z
      .array(z.uuid())
      .nullable()
      .describe("Projects that the key is bound to; null for all that its owner can reach"),
    team_id: z.uuid(),
    agent_id: z
      .string()
      .nullable()
      .describe("Agent for calls that do not name one; null for the default agent"),
    is_active: z.boolean(),
    created_at: Moment,
    last_used_at: Moment.nullable(),
    expires_at: Moment.nullable(),
    key: z.string().nullable().describe("The raw key, returned only when the key is created"),
    raw_key: z.string().nullable().describe("As `key`"),
    webhook_secret: z
      .string()
      .nullable()
      .describe("Standard Webhooks secret of the key's callbacks, returned only when the key is created"),
  })
  .meta({ id: "ApiKey" });

export function describeKey(
  key: ApiKey,
  shownOnce?: { token: string; webhookSecret: string },
): z.input<typeof Key> {
  return {
    id: key.id,
    key_id: key.id,
    name: key.name,
    key_prefix: key.keyPrefix,
    scope: key.scope,
    scopes: key.scopes,
    project_id: key.projectIds?.[0] ?? null,
    project_ids: key.projectIds,
    team_id: key.teamId,
    agent_id: key.agentId,
    is_active: key.isActive,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    key: shownOnce?.token ?? null,
    raw_key: shownOnce?.token ?? null,
    webhook_secret: shownOnce?.webhookSecret ?? null,
  };
}
