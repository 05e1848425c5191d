import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { putConnection } from "./queries.ts";

/**
 * Connect an account by a token that its owner made. Throws `invalid_input` for one that the host refuses, `unavailable` when
 * the host does not answer.
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
    // Bitbucket's tokens go with the address they were given with.
    email: given.login ?? account.email,
    scope: null,
  };
  await putConnection(deps.db, connection, client);
  return { label: host.label, username: account.username };
}
