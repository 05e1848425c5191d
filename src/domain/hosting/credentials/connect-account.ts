import {
  claimFlowOfSession,
  openFlow,
  type FlowCookie,
  type FlowDeps,
  type SessionCallback,
} from "#src/domain/access/oauth-flows/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Hosting, HostingName } from "#src/platform/hosting/hosting.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { HOSTING_FACTS } from "./provider-facts.ts";
import type { LimitedDb } from "./queries.ts";
import { sealCredential } from "./sealed-credential.ts";
import { projectToDeploy, putWhileThere } from "./store-credential.ts";

interface ConnectDeps extends FlowDeps {
  hosting: Pick<Hosting, "oauth">;
}

/**
 * Begins to connect an account at a provider, for a project or as the default. The same session must finish it. Throws
 * `not_configured` where the installation has no OAuth app, and as `requireProject` for a project in which the person may not
 * deploy.
 */
export async function beginConnection(
  deps: ConnectDeps,
  caller: UserCaller,
  { provider, project }: { provider: HostingName; project: string | null },
): Promise<{ authorizationUrl: string; cookie: FlowCookie }> {
  const oauth = deps.hosting.oauth(provider);
  const { label } = HOSTING_FACTS[provider];
  if (!oauth) {
    throw new AppError("not_configured", `${label} OAuth is not configured: connect with a token`);
  }
  const projectId = (await projectToDeploy(deps, caller, project)) ?? undefined;
  const { flow, cookie } = await openFlow(deps, `deploy:${provider}`, {
    sessionId: caller.sessionId,
    projectId,
  });
  return { authorizationUrl: await oauth.authorizationUrl(flow), cookie };
}

/** What the browser sends back from a provider. */
interface Callback extends SessionCallback {
  provider: HostingName;
  client: Client;
}

/** Whether the account is connected; the log has the reason why it is not. */
export interface FinishedConnection {
  label: string;
  isConnected: boolean;
}

/**
 * Finishes the connection of an account, in the session that began it and for its person. The state is checked and used up
 * before anything else, and the project is checked again. Throws `invalid_input` for an invalid state and for another
 * session, `not_found` where the installation has no OAuth app.
 */
export async function finishConnection(
  deps: ConnectDeps & LimitedDb & { deploymentSecrets: Secrets; log: Log },
  { provider, client, ...callback }: Callback,
): Promise<FinishedConnection> {
  const oauth = deps.hosting.oauth(provider);
  const { label } = HOSTING_FACTS[provider];
  if (!oauth) throw new AppError("not_found", "Not Found");
  const { flow, visitor, ...kept } = await claimFlowOfSession(deps, `deploy:${provider}`, callback);
  try {
    const projectId = await projectToDeploy(deps, visitor, kept.projectId ?? null);
    const grant = await oauth.exchange(callback.parameters, flow);
    const sealed = await sealCredential(deps, {
      ...grant,
      token: grant.accessToken,
      authType: "oauth",
      isStandin: oauth.isStandin,
    });
    const place = { userId: visitor.userId, provider, projectId };
    await putWhileThere(deps, place, sealed, { action: "connected", client });
    return { label, isConnected: true };
  } catch (error) {
    deps.log.warn("a hosting account was not connected", { provider, cause: error });
    return { label, isConnected: false };
  }
}
