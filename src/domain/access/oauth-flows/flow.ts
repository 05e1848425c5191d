import { z } from "zod";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName } from "#src/platform/git-hosts/git-host.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";
import type { OAuthFlow, ProviderName } from "#src/platform/oauth/provider.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { OAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { consumeState } from "./queries.ts";

/** How long a person may take at the provider. */
const FLOW_SECONDS = 600;

export interface FlowDeps {
  db: Db;
  oauthStates: OAuthStates;
  secrets: Secrets;
}

/**
 * The purpose of a flow: a provider's name for a sign-in, `git:` and the host's name for the connection of a git host,
 * `deploy:` and the provider's name for that of a hosting provider, `mcp` for an MCP server. A state is valid only for its purpose.
 */
export type FlowPurpose = ProviderName | `git:${GitHostName}` | `deploy:${HostingName}` | "mcp";

/**
 * Encrypted in the cookie of the browser that began the flow, so that a state read from an address is useless alone.
 */
const Kept = z.object({
  id: z.uuid(),
  provider: z.string(),
  /** The session that began the flow; absent for a sign-in, which precedes the session. */
  sessionId: z.uuid().optional(),
  /** The project for which an account is connected; absent for none. */
  projectId: z.uuid().optional(),
  /** The MCP server that is connected; absent for none. */
  mcpServerId: z.uuid().optional(),
  verifier: z.string(),
  nonce: z.string(),
});

/** What the browser must send back, and how long it is valid. */
export interface FlowCookie {
  value: string;
  maxAgeSeconds: number;
}

/** Begins a flow, and returns the browser's cookie. Nothing is stored. */
export async function openFlow(
  deps: Pick<FlowDeps, "oauthStates" | "secrets">,
  provider: FlowPurpose,
  {
    sessionId,
    projectId,
    mcpServerId,
  }: { sessionId?: string; projectId?: string | undefined; mcpServerId?: string } = {},
): Promise<{ flow: OAuthFlow; cookie: FlowCookie }> {
  const secrets = { verifier: newToken().token, nonce: newToken().token };
  const kept = { id: newId(), provider, sessionId, projectId, mcpServerId, ...secrets };
  const expiresAt = new Date(Date.now() + FLOW_SECONDS * 1000);
  const [state, cookie] = await Promise.all([
    deps.oauthStates.issue({ id: kept.id, provider, expiresAt }),
    deps.secrets.encrypt(JSON.stringify(kept)),
  ]);
  return { flow: { state, ...secrets }, cookie: { value: cookie, maxAgeSeconds: FLOW_SECONDS } };
}

interface ClaimedFlow {
  flow: OAuthFlow;
  projectId: string | undefined;
  mcpServerId: string | undefined;
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
): Promise<ClaimedFlow | { refusal: FlowRefusal }> {
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
  const { verifier, nonce, projectId, mcpServerId } = kept;
  return { flow: { state: presented.state, verifier, nonce }, projectId, mcpServerId };
}

/** What the browser sends back to a person's session. */
export interface SessionCallback {
  /** The whole query. */
  parameters: URLSearchParams;
  /** The cookie that the flow set. */
  cookie: string | undefined;
  /** The signed-in person of the returning browser. */
  visitor: UserCaller | undefined;
}

/** As `claimFlow`, in the session that began the flow. Throws `invalid_input` with the reason of a refusal. */
export async function claimFlowOfSession(
  deps: FlowDeps,
  purpose: FlowPurpose,
  { parameters, cookie, visitor }: SessionCallback,
): Promise<ClaimedFlow & { visitor: UserCaller }> {
  if (!visitor) throw new AppError("invalid_input", "INVALID_STATE_TOKEN");
  const presented = { state: parameters.get("state") ?? "", cookie, sessionId: visitor.sessionId };
  const claimed = await claimFlow(deps, purpose, presented);
  if ("refusal" in claimed) throw new AppError("invalid_input", claimed.refusal);
  return { ...claimed, visitor };
}

async function readKept(secrets: Secrets, cookie: string): Promise<z.output<typeof Kept> | undefined> {
  try {
    return safeParseJson(await secrets.decrypt(cookie), Kept)?.value;
  } catch {
    return undefined;
  }
}
