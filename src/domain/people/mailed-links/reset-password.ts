import { uniqueViolation } from "#src/db/unique-violation.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { passwordChanged, sendNotice } from "#src/domain/operations/mail/index.ts";
import { hashPassword, refusalOfPassword, type PasswordConfig } from "#src/domain/people/passwords/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { endTasksOfKeys } from "#src/domain/access/permissions/index.ts";
import { consoleUrl } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { holderOfReset, redeemReset, type ProofConfig } from "./queries.ts";
import type { LinkDeps } from "./request-link.ts";

/**
 * Changes an account's password with a mailed link, which works once. Every session of the account ends, and its
 * address is notified. If the address was not proved before, all access that the account's creator granted to others
 * ends too, because the creator may be another person. Throws `invalid_input` with `RESET_PASSWORD_BAD_TOKEN`, or with
 * a sentence about the password, after which the link is still valid; `rate_limited`.
 */
export async function resetPassword(
  deps: LinkDeps & { config: PasswordConfig & ProofConfig },
  { token, password }: { token: string; password: string },
  client: Client,
): Promise<void> {
  const attempt = await beginAttempt(deps, "reset", { address: client.address });
  const tokenHash = sha256Hex(token);
  // Hashing a password is expensive, so an unknown token is refused before it.
  const holder = await holderOfReset(deps.db, tokenHash);
  if (!holder) throw badToken();
  const refusal = await refusalOfPassword(password, holder);
  if (refusal) {
    await attempt.succeeded();
    throw new AppError("invalid_input", refusal);
  }
  const { userId } = holder;
  const passwordHash = await hashPassword(deps.config, password);
  const { redeemed, revokedKeys } = await redeemReset(
    deps,
    { tokenHash, userId, passwordHash },
    { userId, action: "password.reset", resourceType: "user", resourceId: userId, client },
  ).catch((error: unknown) => {
    // Another account proved the same address concurrently.
    throw uniqueViolation(error) === "users_email_unique" ? badToken() : error;
  });
  // If the request dies before this, the sweep ends the tasks.
  await endTasksOfKeys(deps.queue, revokedKeys);
  if (!redeemed) throw badToken();
  await attempt.succeeded();
  const link = consoleUrl(deps.config, "/forgot-password");
  await sendNotice(deps, holder.email, passwordChanged({ link }));
}

function badToken(): AppError {
  return new AppError("invalid_input", "RESET_PASSWORD_BAD_TOKEN");
}
