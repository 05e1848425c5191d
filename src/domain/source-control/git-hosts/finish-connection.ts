import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { claimFlow, type FlowDeps } from "#src/domain/people/oauth/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { putConnection } from "./queries.ts";
import { sealGrant } from "./usable-token.ts";

/** What a browser brings back from a host. */
interface Callback {
  host: GitHostName;
  /** All of the query. */
  parameters: URLSearchParams;
  /** What the browser kept when it left. */
  cookie: string | undefined;
  /** Who is signed in where the browser came back. */
  visitor: UserCaller | undefined;
  client: Client;
}

/**
 * Finish the connection of an account, in the session that began it. The state is checked and used up before anything else.
 * Throws `invalid_input` for a state that will not do, for another session than the one that began, and for a person or host
 * that did not go through with it (the log says why), `not_found` for a host without an id and a secret.
 */
export async function finishConnection(
  deps: FlowDeps & { gitHosts: GitHosts; deploymentSecrets: Secrets; log: Log },
  { host: name, parameters, cookie, visitor, client }: Callback,
): Promise<{ label: string; username: string }> {
  const host = deps.gitHosts[name];
  if (!host.oauth) throw new AppError("not_found", "Not Found");
  if (!visitor) throw new AppError("invalid_input", "INVALID_STATE_TOKEN");
  const { userId, sessionId } = visitor;
  const presented = { state: parameters.get("state") ?? "", cookie, sessionId };
  const claimed = await claimFlow(deps, `git:${name}`, presented);
  if ("refusal" in claimed) throw new AppError("invalid_input", claimed.refusal);
  const { flow } = claimed;
  try {
    const grant = await host.oauth.exchange(parameters, flow);
    const { username, email } = await host.account({ authType: "oauth_token", token: grant.accessToken });
    const connection = {
      userId,
      provider: name,
      authType: "oauth_token" as const,
      ...(await sealGrant(deps.deploymentSecrets, grant)),
      username,
      email,
      scope: grant.scope,
    };
    await putConnection(deps.db, connection, client);
    return { label: host.label, username };
  } catch (error) {
    deps.log.warn("git host was not connected", { provider: name, cause: error });
    throw new AppError("invalid_input", `${host.label} was not connected: try again`);
  }
}
