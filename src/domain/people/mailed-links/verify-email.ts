import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { addressIsVerified, redeemVerification, type ProofConfig } from "./queries.ts";

/**
 * Verifies an address with a mailed link, and returns the account's id. The link is void once the account has another
 * address. `byUserId` is the person signed in where the link was opened: only the account's own holder can become an
 * administrator by it (see `redeemVerification`). Throws `invalid_input` with `VERIFY_USER_ALREADY_VERIFIED`, also for
 * the link that verified the address, or with `VERIFY_USER_BAD_TOKEN`.
 */
export async function verifyEmail(
  deps: { db: Db; config: ProofConfig },
  { token, byUserId }: { token: string; byUserId?: string | undefined },
  client: Client,
): Promise<string> {
  const tokenHash = sha256Hex(token);
  const userId = await redeemVerification(deps, tokenHash, byUserId).catch(heldMeanwhile);
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

/** Another account proved the same address concurrently. */
function heldMeanwhile(error: unknown): undefined {
  if (uniqueViolation(error) === "users_email_unique") return undefined;
  throw error;
}
