import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { endTasksOfKeys } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { keyOfUser, revokeKey } from "./queries.ts";

/**
 * Revokes a key at once and for good; the tasks it started end soon after. A repeated request is refused, but publishes
 * the end of the tasks again, because the first request may have died before it published. Throws `not_found`,
 * `invalid_input`.
 */
export async function revokeApiKey(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  userId: string,
  keyId: string,
  client: Client,
): Promise<void> {
  if (!isId(keyId)) throw notFound();
  const [revoked] = await revokeKey(deps.db, userId, keyId);
  const [own] = revoked ? [revoked] : await keyOfUser(deps.db, userId, keyId);
  if (!own) throw notFound();
  if (revoked) {
    await insertAuditEntry(deps.db, {
      userId,
      teamId: revoked.teamId,
      action: "api_key.revoked",
      resourceType: "api_key",
      resourceId: revoked.id,
      client,
    });
  }
  await endTasksOfKeys(deps.queue, [own.id]);
  if (!revoked) throw new AppError("invalid_input", "API key is already deactivated");
}

function notFound(): AppError {
  return new AppError("not_found", "API key not found");
}
