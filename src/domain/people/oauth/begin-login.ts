import { AppError } from "#src/lib/errors.ts";
import type { OAuthProviders, ProviderName } from "#src/platform/oauth/provider.ts";
import { FLOW_SECONDS, openFlow, type FlowDeps } from "./flow.ts";

const LABELS: Readonly<Record<ProviderName, string>> = { github: "GitHub", google: "Google" };

export interface BegunLogin {
  /** Where to send the browser. */
  authorizationUrl: string;
  /** What the browser must send back, and how long it is valid. */
  cookie: { value: string; maxAgeSeconds: number };
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
    const authorizationUrl = await provider.authorizationUrl(flow);
    return { authorizationUrl, cookie: { value: cookie, maxAgeSeconds: FLOW_SECONDS } };
  } catch (error) {
    throw new AppError("unavailable", `${LABELS[name]} does not answer: try again later`, { cause: error });
  }
}
