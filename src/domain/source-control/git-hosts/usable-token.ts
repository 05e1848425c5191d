import { hasExpired, refreshedByOne, sealGrant } from "#src/domain/access/oauth-flows/index.ts";
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

async function toToken({ deploymentSecrets }: TokenDeps, connection: Connection): Promise<HostToken> {
  const token = await deploymentSecrets.decrypt(connection.encryptedToken);
  const { authType, email: login } = connection;
  return authType === "personal_access_token" ? { authType, token, login } : { authType, token };
}

function refreshed(deps: TokenDeps, connection: Connection): Promise<Connection> {
  return refreshedByOne(connection, {
    claim: (row) => claimRefresh(deps.db, row),
    refresh: (row) => refresh(deps, row),
    readAgain: () => connectionOf(deps.db, connection.userId, connection.provider),
    label: deps.gitHosts[connection.provider].label,
  });
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
