import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type {
  OAuthFlow,
  OAuthProfile,
  OAuthProvider,
  OAuthProviders,
  ProviderName,
} from "#src/platform/oauth/provider.ts";
import { findAccount, type AccountDeps, type AccountRefusal } from "./find-account.ts";
import { claimFlow, type FlowDeps, type FlowRefusal } from "#src/domain/access/oauth-flows/index.ts";

/** What the browser sends back from a provider. */
export interface Callback {
  provider: ProviderName;
  /** The whole query. */
  parameters: URLSearchParams;
  /** The cookie that `beginOAuthLogin` set. */
  cookie: string | undefined;
}

export type LoginOutcome =
  | { kind: "signed_in"; session: Session }
  | { kind: "refused"; detail: FlowRefusal | AccountRefusal }
  /** The provider failed, or the person declined at the provider's page; the log has the reason. */
  | { kind: "failed" };

/**
 * Finishes a sign-in. The state is checked and used up before anything else, and the code is sent only to the provider.
 * Throws `not_found` for a provider without credentials.
 */
export async function finishOAuthLogin(
  deps: SessionDeps & FlowDeps & AccountDeps & { oauth: OAuthProviders; log: Log },
  callback: Callback,
  client: Client,
): Promise<LoginOutcome> {
  const provider = deps.oauth[callback.provider];
  if (!provider) throw new AppError("not_found", "Not Found");
  const presented = { state: callback.parameters.get("state") ?? "", cookie: callback.cookie };
  const claimed = await claimFlow(deps, callback.provider, presented);
  if ("refusal" in claimed) return { kind: "refused", detail: claimed.refusal };
  const profile = await identify(deps, provider, callback, claimed.flow);
  if (!profile) return { kind: "failed" };
  const found = await findAccount(deps, { provider: callback.provider, ...profile }, client);
  if ("refusal" in found) return { kind: "refused", detail: found.refusal };
  const { id, isSuperuser } = found.user;
  const session = await startSession(deps, { id, isSuperuser }, client, callback.provider);
  return { kind: "signed_in", session };
}

/**
 * The person's identity at the provider; `undefined` if the provider does not return one. The reason is logged and not
 * shown.
 */
async function identify(
  { log }: { log: Log },
  provider: OAuthProvider,
  callback: Callback,
  flow: OAuthFlow,
): Promise<OAuthProfile | undefined> {
  try {
    return await provider.identify(callback.parameters, flow);
  } catch (error) {
    log.warn("OAuth login failed", { provider: callback.provider, cause: error });
    return undefined;
  }
}
