import { hasExpired, refreshedByOne, sealGrant } from "#src/domain/access/oauth-flows/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Hosting, HostingAccess } from "#src/platform/hosting/hosting.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { isHostingFailure } from "./hosting-failure.ts";
import { HOSTING_FACTS } from "./provider-facts.ts";
import {
  claimRefresh,
  credentialsIn,
  credentialOf,
  recordAccount,
  rotateTokens,
  type Credential,
  type CredentialPlace,
} from "./queries.ts";
import { openCredential } from "./sealed-credential.ts";

export interface CredentialDeps {
  db: Db;
  hosting: Pick<Hosting, "oauth" | "provider">;
  deploymentSecrets: Secrets;
  log: Log;
}

/** Requests that finding an account takes at most. */
const ACCOUNT_REQUESTS = 5;

/** A credential that a provider's client can use. */
export interface UsableCredential {
  id: string;
  provider: Credential["provider"];
  access: HostingAccess;
  /** The provider's id of the account. */
  account: string;
}

/**
 * The credential with which a person deploys a project, of those that `credentialsIn` has read: the project's before their
 * default, its token refreshed if it has expired. Throws `invalid_input` when there is none, when it cannot be decrypted, and
 * when the provider does not renew the grant: the person has to connect. Throws `unavailable` when another request that
 * refreshes the token takes too long.
 */
export async function firstOf(
  deps: CredentialDeps,
  place: Pick<CredentialPlace, "provider">,
  [credential]: readonly Credential[],
): Promise<UsableCredential> {
  if (credential) return usable(deps, credential);
  throw unconnected(place);
}

const unconnected = ({ provider }: Pick<CredentialPlace, "provider">) =>
  new AppError("invalid_input", `Connect your ${HOSTING_FACTS[provider].label} account first`);

/** One of a person's credentials. Throws as `firstOf`, and `not_found` for one that there is not. */
export async function accessOf(
  deps: CredentialDeps,
  { userId, id }: { userId: string; id: string },
): Promise<UsableCredential> {
  const credential = await credentialOf(deps.db, userId, id);
  if (!credential) throw new AppError("not_found", "Credential not found");
  return usable(deps, credential);
}

async function usable(deps: CredentialDeps, found: Credential): Promise<UsableCredential> {
  try {
    const credential = hasExpired(found) ? await refreshed(deps, found) : found;
    const { id, provider } = credential;
    const access = await openCredential(deps, credential);
    return {
      id,
      provider,
      access,
      account: credential.account ?? (await findAccount(deps, credential, access)),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { label } = HOSTING_FACTS[found.provider];
    deps.log.warn("a deployment credential could not be decrypted", {
      credential_id: found.id,
      cause: error,
    });
    throw new AppError("invalid_input", `The connection to ${label} cannot be decrypted: connect again`);
  }
}

/** Asks the provider for the account, once for each version of the credential. */
async function findAccount(
  deps: CredentialDeps,
  credential: Credential,
  access: HostingAccess,
): Promise<string> {
  const { label } = HOSTING_FACTS[credential.provider];
  try {
    const { id } = await deps.hosting
      .provider(credential.provider, { requests: ACCOUNT_REQUESTS })
      .account(access);
    await recordAccount(deps.db, credential, id);
    return id;
  } catch (error) {
    if (!isHostingFailure(error)) throw error;
    const isPassing = error.kind === "rate_limited" || error.kind === "unavailable";
    if (isPassing)
      throw new AppError("unavailable", `${label} does not answer: try again later`, { cause: error });
    throw new AppError("invalid_input", `${label} refused the credential: connect your account again`, {
      cause: error,
    });
  }
}

/**
 * The credential with which the site of a deployment is changed: the project's before the default, if it is of the site's
 * account. Throws as `firstOf`, and `conflict` when the person is connected to other accounts now.
 */
export async function accessFor(
  deps: CredentialDeps,
  { account, isStandin, ...place }: CredentialPlace & { account: string; isStandin: boolean },
): Promise<HostingAccess> {
  const credentials = await credentialsIn(deps.db, place);
  if (credentials.length === 0) throw unconnected(place);
  let problem: unknown;
  for (const credential of credentials) {
    try {
      const found = await usable(deps, credential);
      if (found.account === account && found.access.isStandin === isStandin) return found.access;
    } catch (error) {
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  const { label } = HOSTING_FACTS[place.provider];
  throw new AppError(
    "conflict",
    `The site is in another account at ${label} than the one that is connected now`,
  );
}

async function refreshed(deps: CredentialDeps, credential: Credential): Promise<Credential> {
  const { label } = HOSTING_FACTS[credential.provider];
  if (credential.encryptedRefreshToken === null) throw expired(label);
  return refreshedByOne(credential, {
    claim: (row) => claimRefresh(deps.db, row),
    refresh: (row) => refresh(deps, row),
    readAgain: () => credentialOf(deps.db, credential.userId, credential.id),
    label,
  });
}

async function refresh(deps: CredentialDeps, credential: Credential): Promise<Credential> {
  const { provider, encryptedRefreshToken, isStandin } = credential;
  const { label } = HOSTING_FACTS[provider];
  const oauth = deps.hosting.oauth(provider);
  // A refresh token goes only to where it came from.
  if (!oauth || oauth.isStandin !== isStandin || encryptedRefreshToken === null) throw expired(label);
  const refreshToken = await deps.deploymentSecrets.decrypt(encryptedRefreshToken);
  const grant = await oauth.refresh(refreshToken).catch((cause: unknown) => {
    deps.log.warn("a hosting provider did not refresh a token", { provider, cause });
    throw expired(label);
  });
  // Without a new refresh token the old one stays valid (RFC 6749, section 6).
  const renewed = { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
  const fresh = await sealGrant(deps.deploymentSecrets, renewed);
  await rotateTokens(deps.db, credential, fresh);
  return { ...credential, ...fresh };
}

const expired = (label: string) =>
  new AppError("invalid_input", `The connection to ${label} has expired: connect your account again`);
