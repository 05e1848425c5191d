import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { endTasksOfKeys, type UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { oauthRefusal } from "./oauth-refusal.ts";
import { endGrantRow, endGrantsOf, expireToken, grantOfToken } from "./queries.ts";

export interface EndDeps {
  db: Db;
  queue: Pick<Queue, "publishBatch">;
}

/** Ends a grant, its tokens and the tasks that it started. Returns false for one that has ended, or another person's. */
export async function endGrant(
  deps: EndDeps,
  grant: { grantId: string; userId: string },
  note: Pick<AuditEntry, "action" | "client">,
): Promise<boolean> {
  const keyId = await endGrantRow(deps.db, grant, note);
  // If the service stops here, the sweep ends the tasks.
  if (keyId !== undefined) await endTasksOfKeys(deps.queue, [keyId]);
  return keyId !== undefined;
}

/** Disconnects one of the caller's apps. Throws `not_found`. */
export async function disconnectApp(
  deps: EndDeps,
  { userId }: UserCaller,
  grantId: string,
  client: Client,
): Promise<void> {
  const isEnded =
    isId(grantId) &&
    (await endGrant(deps, { grantId, userId }, { action: "connected_app.disconnected", client }));
  if (!isEnded) throw new AppError("not_found", "Connected app not found");
}

/** Disconnects all of the caller's apps; returns how many. */
export async function disconnectAllApps(
  deps: EndDeps,
  { userId }: UserCaller,
  client: Client,
): Promise<number> {
  const { rows } = await endGrantsOf(deps.db, userId);
  if (rows.length === 0) return 0;
  await insertAuditEntry(deps.db, {
    userId,
    action: "connected_app.all_disconnected",
    resourceType: "connected_app",
    details: { ended: rows.length },
    client,
  });
  await endTasksOfKeys(
    deps.queue,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/**
 * Revokes a token for its client (RFC 7009): a refresh token with the whole grant, an access token alone. An unknown or ended one is
 * ignored. Throws `invalid_input` for another client's.
 */
export async function revokeToken(
  deps: EndDeps,
  { token, clientId }: { token: string; clientId: string | undefined },
  client: Client,
): Promise<void> {
  const hash = sha256Hex(token);
  const [grant] = await grantOfToken(deps.db, hash);
  if (!grant) return;
  if (clientId !== undefined && grant.clientId !== clientId) {
    throw oauthRefusal("invalid_client", "The token is another client's");
  }
  if (grant.kind === "access") await expireToken(deps.db, hash);
  else await endGrant(deps, grant, { action: "connected_app.revoked", client });
}
