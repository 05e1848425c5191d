import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { sendVerification, type LinkDeps } from "#src/domain/people/mailed-links/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireAccount } from "./account.ts";
import type { PasswordConfig } from "#src/domain/people/passwords/index.ts";
import { checkChange, type AccountChange } from "./check-change.ts";
import type { EmailDomains } from "./email-domains.ts";
import { hidesAccounts, type RevealConfig } from "./hides-accounts.ts";
import type { User } from "./queries.ts";
import { handsOver, requireHolder } from "./require-holder.ts";
import { storeChange } from "./store-change.ts";
import { tellOldAddress } from "./tell-old-address.ts";

/**
 * Changes the person's own account. A new password ends all sessions. A new address counts as unverified, and receives
 * a verification link. Both need a fresh session or the current password, and the old address is notified. Where
 * accounts are hidden, another account may hold the new address; then its owner is notified instead. Throws
 * `invalid_input` for invalid names and passwords, `forbidden` for a session that is not fresh, `conflict` for another
 * account's username, `rate_limited` for too many new addresses or guesses.
 */
export async function updateAccount(
  deps: LinkDeps & { config: PasswordConfig & RevealConfig & EmailDomains },
  { userId, sessionId }: UserCaller,
  wish: AccountChange,
  client: Client,
): Promise<User> {
  const user = await requireAccount(deps, userId);
  if (handsOver(user, wish)) {
    const { currentPassword } = wish;
    await requireHolder(deps, { user, sessionId }, { currentPassword, address: client.address });
  }
  const change = await checkChange(deps.config, user, wish);
  const isOther = (email: string) => email.toLowerCase() !== user.email.toLowerCase();
  if (wish.email !== undefined && isOther(wish.email) && deps.mailer.configured) {
    await beginAttempt(deps, "mail", { account: userId, address: client.address });
  }
  const updated = await storeChange(deps.db, userId, change, { asksForEmail: hidesAccounts(deps) });
  const note = (action: string) =>
    insertAuditEntry(deps.db, { userId, action, resourceType: "user", resourceId: userId, client });
  if (wish.password !== undefined) await note("password.changed");
  if (isOther(updated.email)) {
    await note("email.changed");
    await sendVerification(deps, updated);
  }
  await tellOldAddress(deps, user, updated);
  return updated;
}
