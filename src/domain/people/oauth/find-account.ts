import {
  createOAuthAccount,
  isDomainAllowed,
  type AccountConfig,
  type EmailDomains,
} from "#src/domain/people/accounts/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { endTasksOfKeys } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { OAuthProfile, ProviderName } from "#src/platform/oauth/provider.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { insertLink, linkUser, usersOf } from "./queries.ts";

export interface AccountDeps {
  db: Db;
  queue: Queue;
  config: AccountConfig & EmailDomains;
}

/** A person at a provider. */
export type Identity = OAuthProfile & { provider: ProviderName };

/** Error codes that existing clients compare. */
export type AccountRefusal =
  | "OAUTH_NOT_AVAILABLE_EMAIL"
  | "LOGIN_BAD_CREDENTIALS"
  | "EMAIL_DOMAIN_NOT_ALLOWED";

interface FoundUser {
  id: string;
  isSuperuser: boolean;
}

/** An attempt fails only when a concurrent request changed the same rows. */
const MAX_TURNS = 10;

/**
 * The account of a person at a provider: the linked one, otherwise the one with their address, which is then linked,
 * otherwise a new one. An address counts only if the provider says that it is verified.
 */
export async function findAccount(
  deps: AccountDeps,
  identity: Identity,
  client: Client,
): Promise<{ user: FoundUser } | { refusal: AccountRefusal }> {
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const { linked, sameEmail } = await usersOf(deps.db, identity);
    const { email } = identity;
    const known = linked ?? sameEmail;
    if (known && !known.isActive) return { refusal: "LOGIN_BAD_CREDENTIALS" };
    if (linked) return { user: linked };
    if (email === undefined) return { refusal: "OAUTH_NOT_AVAILABLE_EMAIL" };
    if (!sameEmail && !isDomainAllowed(deps.config, email)) return { refusal: "EMAIL_DOMAIN_NOT_ALLOWED" };
    const user = sameEmail
      ? await linkAccount(deps, sameEmail, { ...identity, email }, client)
      : await createAccount(deps, { ...identity, email }, client);
    if (user) return { user };
  }
  throw new AppError("internal", "No account was found or made");
}

type Vouched = Identity & { email: string };

/** `undefined` when the account or the link changed concurrently. */
async function linkAccount(
  deps: AccountDeps,
  user: FoundUser & { isVerified: boolean },
  identity: Vouched,
  client: Client,
): Promise<FoundUser | undefined> {
  const link = { id: newId(), userId: user.id, ...identity };
  const { linked, appointed, revokedKeys } = await linkUser(deps, link, {
    userId: user.id,
    action: "oauth.linked",
    resourceType: "oauth_account",
    resourceId: link.id,
    details: { provider: identity.provider, address_was_verified: user.isVerified },
    client,
  });
  // If the request dies before this, the sweep ends the tasks.
  await endTasksOfKeys(deps.queue, revokedKeys);
  return linked ? { ...user, isSuperuser: user.isSuperuser || appointed } : undefined;
}

/** `undefined` when the address, the person or a random name has an account by now. */
async function createAccount(
  deps: AccountDeps,
  identity: Vouched,
  client: Client,
): Promise<FoundUser | undefined> {
  const { db } = deps;
  return createOAuthAccount(deps, identity, (userId) => [
    insertLink(db, { id: newId(), userId, ...identity }),
    insertAuditEntry(db, {
      userId,
      action: "oauth.account_created",
      resourceType: "user",
      resourceId: userId,
      details: { provider: identity.provider },
      client,
    }),
  ]);
}
