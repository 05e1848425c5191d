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
 * What a way through a provider is for: a sign-in is named after the provider, the connection of a git host `git:` and the
 * host. A state of one is no good for another.
 */
export type FlowPurpose = ProviderName | `git:${GitHostName}`;

/** What the browser that began it keeps of it, encrypted: the state alone, seen in an address, is good for nothing. */
const Kept = z.object({
  id: z.uuid(),
  provider: z.string(),
  /** The session that began it; absent for a sign-in, which comes before there is one. */
  sessionId: z.uuid().optional(),
  verifier: z.string(),
  nonce: z.string(),
});

/** A flow that begins, and what the browser has to keep of it. Nothing is stored. */
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
 * The flow that a callback belongs to, used up by it: of two callbacks with one state at once, one gets it. A state that is
 * not ours, for another purpose, or that another browser or another session began is refused and stays unused. The cookie
 * alone does not tell who is there: a page of another host of the domain may have planted it.
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
