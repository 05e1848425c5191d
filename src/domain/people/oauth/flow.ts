import { z } from "zod";
import { newId } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName } from "#src/platform/git-hosts/git-host.ts";
import type { OAuthFlow, ProviderName } from "#src/platform/oauth/provider.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { OAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { consumeState } from "./queries.ts";

/** How long a person may take at the provider. */
export const FLOW_SECONDS = 600;

export interface FlowDeps {
  db: Db;
  oauthStates: OAuthStates;
  secrets: Secrets;
}

/**
 * The purpose of a flow: a provider's name for a sign-in, `git:` and the host's name for the connection of a git host.
 * A state is valid only for its purpose.
 */
export type FlowPurpose = ProviderName | `git:${GitHostName}`;

/**
 * Encrypted in the cookie of the browser that began the flow, so that a state read from an address is useless alone.
 */
const Kept = z.object({
  id: z.uuid(),
  provider: z.string(),
  /** The session that began the flow; absent for a sign-in, which precedes the session. */
  sessionId: z.uuid().optional(),
  verifier: z.string(),
  nonce: z.string(),
});

/** Begins a flow, and returns the content of the browser's cookie. Nothing is stored. */
export async function openFlow(
  deps: Pick<FlowDeps, "oauthStates" | "secrets">,
  provider: FlowPurpose,
  sessionId?: string,
): Promise<{ flow: OAuthFlow; cookie: string }> {
  const kept = { id: newId(), provider, sessionId, verifier: newToken().token, nonce: newToken().token };
  const expiresAt = new Date(Date.now() + FLOW_SECONDS * 1000);
  const [state, cookie] = await Promise.all([
    deps.oauthStates.issue({ id: kept.id, provider, expiresAt }),
    deps.secrets.encrypt(JSON.stringify(kept)),
  ]);
  return { flow: { state, verifier: kept.verifier, nonce: kept.nonce }, cookie };
}

export type FlowRefusal = "INVALID_STATE_TOKEN" | "STATE_TOKEN_EXPIRED";

/**
 * Returns the flow of a callback and uses it up; of concurrent callbacks with one state, only one succeeds. A state
 * that is forged, has another purpose, or was begun by another browser or session is refused and stays unused. The
 * cookie alone does not identify the person, because another host of the same domain may have planted it.
 */
export async function claimFlow(
  deps: FlowDeps,
  provider: FlowPurpose,
  presented: { state: string; cookie: string | undefined; sessionId?: string },
): Promise<{ flow: OAuthFlow } | { refusal: FlowRefusal }> {
  const verified = await deps.oauthStates.verify(presented.state);
  if (verified.kind === "expired") return { refusal: "STATE_TOKEN_EXPIRED" };
  const kept = presented.cookie === undefined ? undefined : await readKept(deps.secrets, presented.cookie);
  if (verified.kind === "invalid" || !kept) return { refusal: "INVALID_STATE_TOKEN" };
  const { state } = verified;
  const isSame =
    kept.id === state.id &&
    kept.provider === provider &&
    state.provider === provider &&
    kept.sessionId === presented.sessionId;
  if (!isSame || !(await consumeState(deps.db, state))) return { refusal: "INVALID_STATE_TOKEN" };
  const { verifier, nonce } = kept;
  return { flow: { state: presented.state, verifier, nonce } };
}

async function readKept(secrets: Secrets, cookie: string): Promise<z.output<typeof Kept> | undefined> {
  try {
    return safeParseJson(await secrets.decrypt(cookie), Kept)?.value;
  } catch {
    return undefined;
  }
}
