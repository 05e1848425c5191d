import { openFlow, type FlowCookie, type FlowDeps } from "#src/domain/access/oauth-flows/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";

export interface BegunConnection {
  /** Where to send the browser. */
  authorizationUrl: string;
  state: string;
  cookie: FlowCookie;
}

/**
 * Begins to connect an account at a host. The same session must finish it. Throws `unavailable` for a host without an
 * OAuth app.
 */
export async function beginConnection(
  deps: Pick<FlowDeps, "oauthStates" | "secrets"> & { gitHosts: GitHosts },
  sessionId: string,
  name: GitHostName,
): Promise<BegunConnection> {
  const { oauth, label } = deps.gitHosts[name];
  if (!oauth) throw new AppError("unavailable", `${label} OAuth is not configured: connect with a token`);
  const { flow, cookie } = await openFlow(deps, `git:${name}`, { sessionId });
  return { authorizationUrl: await oauth.authorizationUrl(flow), state: flow.state, cookie };
}
