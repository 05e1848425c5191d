import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { newWebhookSecret } from "./new-secrets.ts";
import { replaceWebhookSecret, type ApiKey } from "./queries.ts";

/**
 * Replaces the secret that signs a key's callbacks. They are signed with both secrets until the overlap ends; a further
 * rotation ends it for the older one. Throws `not_found` for a revoked key and another person's.
 */
export async function rotateWebhookSecret(
  deps: { db: Db; secrets: Secrets },
  userId: string,
  keyId: string,
  client: Client,
): Promise<{ key: ApiKey; webhookSecret: string }> {
  const webhookSecret = newWebhookSecret();
  const encrypted = await deps.secrets.encrypt(webhookSecret);
  const [key] = isId(keyId) ? await replaceWebhookSecret(deps.db, { userId, keyId, encrypted }) : [];
  if (!key) throw new AppError("not_found", "API key not found");
  await insertAuditEntry(deps.db, {
    userId,
    teamId: key.teamId,
    action: "api_key.secret_rotated",
    resourceType: "api_key",
    resourceId: key.id,
    details: { name: key.name, key_prefix: key.keyPrefix },
    client,
  });
  return { key, webhookSecret };
}
