import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { queueMail, requireMail, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { mailOf, LIFE_SECONDS, type LinkConfig } from "./link.ts";
import { insertLink, type Purpose } from "./queries.ts";

export interface LinkDeps extends MailDeps {
  db: Db;
  attempts: AttemptLimits;
  config: LinkConfig;
}

/**
 * Mails a link to the owner of an address. Work, duration and response are the same for an address without an account:
 * the mail is sent through the queue, and the mail server is probed first for every address. Throws `rate_limited`, and
 * `unavailable` when the mail server does not respond; the mail is then sent later.
 */
async function requestLink(deps: LinkDeps, purpose: Purpose, email: string, client: Client): Promise<void> {
  requireMail(deps.mailer);
  await beginAttempt(deps, "mail", { account: email.toLowerCase(), address: client.address });
  const reachable = await isReachable(deps);
  const { token, hash: tokenHash } = newToken();
  const lifeSeconds = LIFE_SECONDS[purpose];
  const link = await insertLink(deps.db, { email }, { id: newId(), purpose, tokenHash, lifeSeconds });
  if (purpose === "password_reset") {
    // Without an account a fresh id matches no row, so nothing is written.
    const userId = link?.userId ?? newId();
    const about = { action: "password.reset_requested", resourceType: "user", resourceId: userId };
    await insertAuditEntry(deps.db, { userId, ...about, client });
  }
  await queueMail(deps, link && mailOf(deps.config, purpose, link, token));
  if (reachable) return;
  throw new AppError(
    "unavailable",
    "The mail server does not respond at the moment. If this address has an account, the email is sent once the server responds",
  );
}

async function isReachable({ mailer, log }: LinkDeps): Promise<boolean> {
  try {
    await mailer.probe();
    return true;
  } catch (error) {
    log.warn("the mail server does not respond", { cause: error });
    return false;
  }
}

/** Mails a password reset link to the owner of an address. Throws as `requestLink` does. */
export function requestPasswordReset(deps: LinkDeps, email: string, client: Client): Promise<void> {
  return requestLink(deps, "password_reset", email, client);
}

/** Mails a verification link to the owner of an address that is not yet verified. Throws as `requestLink` does. */
export function requestVerification(deps: LinkDeps, email: string, client: Client): Promise<void> {
  return requestLink(deps, "email_verification", email, client);
}
