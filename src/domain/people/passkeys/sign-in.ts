import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { FlowCookie } from "#src/domain/access/oauth-flows/index.ts";
import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Assertion, RequestOptions } from "#src/platform/webauthn/webauthn.ts";
import { claimChallenge, openChallenge } from "./challenge.ts";
import { acceptCounter, passkeyByCredential, type Passkey, type PasskeyUser } from "./queries.ts";
import { handleOf, requireWebAuthn, type WebAuthnDeps } from "./web-authn.ts";

type SignInDeps = SessionDeps & WebAuthnDeps & { secrets: Secrets; attempts: AttemptLimits; log: Log };

/** What the browser asks the authenticator with: no account is named, and nothing is stored. Throws `not_configured`. */
export async function beginPasskeySignIn(
  deps: WebAuthnDeps & { secrets: Secrets },
): Promise<{ options: RequestOptions; cookie: FlowCookie }> {
  const webAuthn = requireWebAuthn(deps);
  const { challenge, cookie } = await openChallenge(deps, "sign_in");
  return { options: webAuthn.requestOptions(challenge), cookie };
}

export interface PresentedPasskey {
  assertion: Assertion;
  /** The person whose passkey it is, as the authenticator says. */
  userHandle: string | undefined;
  /** The cookie that `beginPasskeySignIn` set. */
  cookie: string | undefined;
}

/**
 * Opens the session of a person whose authenticator has verified them. That is two factors, so no code is asked for. A passkey
 * that is unknown or removed, an account that is not active and a wrong signature look the same. Throws `unauthenticated`,
 * `invalid_input` for a challenge that is not this browser's, `rate_limited`, `conflict`.
 */
export async function signInWithPasskey(
  deps: SignInDeps,
  { assertion, userHandle, cookie }: PresentedPasskey,
  client: Client,
): Promise<Session> {
  const passkey = await passkeyByCredential(deps.db, assertion.id);
  const account = passkey?.userId ?? assertion.id;
  const attempt = await beginAttempt(deps, "passkey", { account, address: client.address });
  const challenge = await claimChallenge(deps, "sign_in", { cookie });
  const isWhose = passkey !== undefined && userHandle === handleOf(passkey.userId);
  const user = isWhose ? await userProvedBy(deps, passkey, { assertion, challenge }, client) : undefined;
  if (!user) throw notAccepted();
  const session = await startSession(deps, user, client, "passkey");
  await attempt.succeeded();
  return session;
}

async function userProvedBy(
  deps: SignInDeps,
  passkey: Passkey,
  { assertion, challenge }: { assertion: Assertion; challenge: string },
  client: Client,
): Promise<PasskeyUser | undefined> {
  const checked = await requireWebAuthn(deps).verifyAssertion(assertion, challenge, passkey);
  if ("refusal" in checked) {
    deps.log.warn("a passkey was refused", { passkey: passkey.id, cause: checked.refusal });
    return undefined;
  }
  const user = await acceptCounter(deps.db, passkey.id, checked.verified);
  if (!user) await noteCounter(deps.db, passkey, checked.verified.counter, client);
  return user;
}

/** A counter that goes back may be that of a copy: the person finds it in their log. */
async function noteCounter(db: Db, { credentialId }: Passkey, counter: number, client: Client) {
  const stored = await passkeyByCredential(db, credentialId);
  if (!stored || stored.counter < counter || (stored.counter === 0 && counter === 0)) return;
  await insertAuditEntry(db, {
    userId: stored.userId,
    action: "passkey.counter_went_back",
    resourceType: "passkey",
    resourceId: stored.id,
    details: { stored: stored.counter, presented: counter },
    client,
  });
}

function notAccepted(): AppError {
  return new AppError("unauthenticated", "This passkey was not accepted: try again, or sign in another way");
}
