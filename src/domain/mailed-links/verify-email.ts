import { insertAuditEntry } from "#src/domain/audit/index.ts";
import type { Client } from "#src/domain/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { addressIsVerified, redeemVerification } from "./queries.ts";

/**
 * Count an address as its owner's, by the link that was mailed to it; answers the id of the account. The link is void once
 * the account has another address. Throws `invalid_input`: `VERIFY_USER_ALREADY_VERIFIED`, also for the link that did it,
 * or `VERIFY_USER_BAD_TOKEN`.
 */
export async function verifyEmail(deps: { db: Db }, token: string, client: Client): Promise<string> {
  const tokenHash = sha256Hex(token);
  const userId = await redeemVerification(deps.db, tokenHash);
  if (userId === undefined) {
    const [verified] = await addressIsVerified(deps.db, tokenHash);
    throw new AppError("invalid_input", `VERIFY_USER_${verified ? "ALREADY_VERIFIED" : "BAD_TOKEN"}`);
  }
  await insertAuditEntry(deps.db, {
    userId,
    action: "email.verified",
    resourceType: "user",
    resourceId: userId,
    client,
  });
  return userId;
}
