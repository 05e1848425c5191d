import { AppError } from "#src/lib/errors.ts";
import type { OAuthProviders, ProviderName } from "#src/platform/oauth/provider.ts";
import { openFlow, type FlowCookie, type FlowDeps } from "#src/domain/access/oauth-flows/index.ts";

const LABELS: Readonly<Record<ProviderName, string>> = { github: "GitHub", google: "Google" };

export interface BegunLogin {
  /** Where to send the browser. */
  authorizationUrl: string;
  cookie: FlowCookie;
}

/** Begins a sign-in. Throws `unavailable` for a provider without credentials, and for one that does not respond. */
export async function beginOAuthLogin(
  deps: Pick<FlowDeps, "oauthStates" | "secrets"> & { oauth: OAuthProviders },
  name: ProviderName,
): Promise<BegunLogin> {
  const provider = deps.oauth[name];
  if (!provider) throw new AppError("unavailable", `${LABELS[name]} OAuth is not configured`);
  const { flow, cookie } = await openFlow(deps, name);
  try {
    return { authorizationUrl: await provider.authorizationUrl(flow), cookie };
  } catch (error) {
    throw new AppError("unavailable", `${LABELS[name]} does not answer: try again later`, { cause: error });
  }
}
