import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName, GitHosts, HostToken } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { claimRefresh, connectionOf, rotateTokens, type Connection } from "./queries.ts";

export interface TokenDeps {
  db: Db;
  gitHosts: GitHosts;
  deploymentSecrets: Secrets;
  log: Log;
}

/** A token that expires within this time counts as expired, because its use takes time. */
const MARGIN_MS = 60_000;
/** Poll interval, and number of polls, of a request that waits for another one to refresh the token. */
const LOOK_MS = 500;
const LOOKS = 16;

/**
 * A person's token for a host, refreshed if it has expired; `undefined` for a person who is not connected. Throws
 * `invalid_input` when the host does not renew the grant: the person has to connect again.
 */
export async function usableToken(
  deps: TokenDeps,
  userId: string,
  name: GitHostName,
): Promise<HostToken | undefined> {
  const connection = await connectionOf(deps.db, userId, name);
  if (!connection) return undefined;
  return toToken(deps, hasExpired(connection) ? await refreshed(deps, connection) : connection);
}

function hasExpired({ expiresAt }: Connection): boolean {
  return expiresAt !== null && expiresAt.getTime() < Date.now() + MARGIN_MS;
}

async function toToken({ deploymentSecrets }: TokenDeps, connection: Connection): Promise<HostToken> {
  const token = await deploymentSecrets.decrypt(connection.encryptedToken);
  const { authType, email: login } = connection;
  return authType === "personal_access_token" ? { authType, token, login } : { authType, token };
}

async function refreshed(deps: TokenDeps, connection: Connection): Promise<Connection> {
  if (await claimRefresh(deps.db, connection)) return refresh(deps, connection);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await connectionOf(deps.db, connection.userId, connection.provider);
    if (!now) break;
    if (now.encryptedToken !== connection.encryptedToken) return now;
  }
  throw new AppError(
    "unavailable",
    `${deps.gitHosts[connection.provider].label} does not answer: try again later`,
  );
}

async function refresh(deps: TokenDeps, connection: Connection): Promise<Connection> {
  const { label, oauth } = deps.gitHosts[connection.provider];
  const expired = new AppError(
    "invalid_input",
    `The connection to ${label} has expired: connect your account again`,
  );
  if (!oauth || connection.encryptedRefreshToken === null) throw expired;
  const refreshToken = await deps.deploymentSecrets.decrypt(connection.encryptedRefreshToken);
  const grant = await oauth.refresh(refreshToken).catch((cause: unknown) => {
    deps.log.warn("git host did not refresh a token", { provider: connection.provider, cause });
    throw expired;
  });
  const fresh = await sealGrant(deps.deploymentSecrets, grant);
  await rotateTokens(deps.db, connection, fresh);
  return { ...connection, ...fresh };
}

/** Encrypts a grant's tokens for storage. */
export async function sealGrant(
  secrets: Secrets,
  grant: { accessToken: string; refreshToken: string | null; expiresAt: Date | null },
): Promise<Pick<Connection, "encryptedToken" | "encryptedRefreshToken" | "expiresAt">> {
  const { accessToken, refreshToken, expiresAt } = grant;
  return {
    encryptedToken: await secrets.encrypt(accessToken),
    encryptedRefreshToken: refreshToken === null ? null : await secrets.encrypt(refreshToken),
    expiresAt,
  };
}
