import {
  claimFlowOfSession,
  sealGrant,
  type FlowDeps,
  type SessionCallback,
} from "#src/domain/access/oauth-flows/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { putConnection } from "./queries.ts";

/** What the browser sends back from a host. */
interface Callback extends SessionCallback {
  host: GitHostName;
  client: Client;
}

/**
 * Finishes the connection of an account, in the session that began it. The state is checked and used up before anything
 * else. Throws `invalid_input` for an invalid state, for another session, and for a person or host that did not
 * complete the connection (the log has the reason), `not_found` for a host without an OAuth app.
 */
export async function finishConnection(
  deps: FlowDeps & { gitHosts: GitHosts; deploymentSecrets: Secrets; log: Log },
  { host: name, client, ...callback }: Callback,
): Promise<{ label: string; username: string }> {
  const host = deps.gitHosts[name];
  if (!host.oauth) throw new AppError("not_found", "Not Found");
  const { flow, visitor } = await claimFlowOfSession(deps, `git:${name}`, callback);
  try {
    const grant = await host.oauth.exchange(callback.parameters, flow);
    const { username, email } = await host.account({ authType: "oauth_token", token: grant.accessToken });
    const connection = {
      userId: visitor.userId,
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
