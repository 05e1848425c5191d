import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { putConnection } from "./queries.ts";

/**
 * Connects an account by a personal token. Throws `invalid_input` for a token that the host refuses, `unavailable` when
 * the host does not respond.
 */
export async function connectToken(
  deps: { db: Db; gitHosts: GitHosts; deploymentSecrets: Secrets },
  userId: string,
  name: GitHostName,
  given: { token: string; login?: string | undefined },
  client: Client,
): Promise<{ label: string; username: string }> {
  const host = deps.gitHosts[name];
  const authType = "personal_access_token" as const;
  const token = { authType, token: given.token, login: given.login ?? null };
  const account = await host.account(token).catch((error: unknown) => {
    const isRefused = error instanceof AppError && error.code !== "unavailable";
    throw isRefused ? new AppError("invalid_input", `${host.label} refused the token`) : error;
  });
  const connection = {
    userId,
    provider: name,
    authType,
    encryptedToken: await deps.deploymentSecrets.encrypt(given.token),
    encryptedRefreshToken: null,
    expiresAt: null,
    username: account.username,
    // A Bitbucket token is valid only with the address that was sent with it.
    email: given.login ?? account.email,
    scope: null,
  };
  await putConnection(deps.db, connection, client);
  return { label: host.label, username: account.username };
}
