import { addressInUse, queueMail, type OutgoingMail } from "#src/domain/operations/mail/index.ts";
import { consoleUrl } from "#src/lib/console-url.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import { LIFE_SECONDS, mailOf, type LinkConfig } from "./link.ts";
import { insertLink } from "./queries.ts";
import type { LinkDeps } from "./request-link.ts";

export type VerificationDeps = Omit<LinkDeps, "attempts">;

const purpose = "email_verification";

/**
 * Mails a link that proves the address a person has just entered, if there is a mail server. If another account holds
 * the address, its owner receives a notice instead, with the same work. Failures are only logged: the account exists,
 * and another link can be requested.
 */
export async function sendVerification(
  deps: VerificationDeps,
  user: { id: string; email: string; emailAskedAt: Date | null },
): Promise<void> {
  if (!deps.mailer.configured) return;
  try {
    const { token, hash: tokenHash } = newToken();
    const lifeSeconds = LIFE_SECONDS[purpose];
    const link = await insertLink(
      deps.db,
      { userId: user.id },
      { id: newId(), purpose, tokenHash, lifeSeconds },
    );
    if (link) await queueMail(deps, mailOf(deps.config, purpose, link, token));
    else if (user.emailAskedAt) await queueMail(deps, ownersNotice(deps.config, user.email));
  } catch (error) {
    deps.log.warn("no verification mail was queued", { cause: error });
  }
}

function ownersNotice(config: LinkConfig, to: string): OutgoingMail {
  const expiresAt = new Date(Date.now() + LIFE_SECONDS[purpose] * 1000);
  const link = consoleUrl(config, "/forgot-password");
  return { kind: "account-notice", to, expiresAt, ...addressInUse({ link }) };
}
