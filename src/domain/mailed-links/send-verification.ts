import { queueMail } from "#src/domain/mail/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import { LIFE_SECONDS, mailOf } from "./link.ts";
import { insertLink } from "./queries.ts";
import type { LinkDeps } from "./request-link.ts";

export type VerificationDeps = Omit<LinkDeps, "attempts">;

/**
 * Mail a link that proves the address somebody has just given, where there is a mail server. Whatever fails is logged only:
 * the account is there, and another link can be asked for.
 */
export async function sendVerification(deps: VerificationDeps, email: string): Promise<void> {
  if (!deps.mailer.configured) return;
  try {
    const purpose = "email_verification";
    const { token, hash: tokenHash } = newToken();
    const lifeSeconds = LIFE_SECONDS[purpose];
    const link = await insertLink(deps.db, email, { id: newId(), purpose, tokenHash, lifeSeconds });
    if (link) await queueMail(deps, mailOf(deps.config, purpose, link, token));
  } catch (error) {
    deps.log.warn("no verification mail was queued", { cause: error });
  }
}
