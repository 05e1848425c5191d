import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { claimFlow, type FlowDeps } from "#src/domain/people/oauth/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { putConnection } from "./queries.ts";
import { sealGrant } from "./usable-token.ts";

/** What the browser sends back from a host. */
interface Callback {
  host: GitHostName;
  /** The whole query. */
  parameters: URLSearchParams;
  /** The cookie that `beginConnection` set. */
  cookie: string | undefined;
  /** The signed-in person of the returning browser. */
  visitor: UserCaller | undefined;
  client: Client;
}

/**
 * Finishes the connection of an account, in the session that began it. The state is checked and used up before anything
 * else. Throws `invalid_input` for an invalid state, for another session, and for a person or host that did not
 * complete the connection (the log has the reason), `not_found` for a host without an OAuth app.
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
