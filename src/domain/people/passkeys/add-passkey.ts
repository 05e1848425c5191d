import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { FlowCookie } from "#src/domain/access/oauth-flows/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { passkeyAdded, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import { requireAccount } from "#src/domain/people/accounts/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { CreatedCredential, CreationOptions } from "#src/platform/webauthn/webauthn.ts";
import { claimChallenge, openChallenge } from "./challenge.ts";
import { insertPasskey, passkeysOf, type Passkey } from "./queries.ts";
import { requireProof, type Proof, type ProofDeps } from "./require-proof.ts";
import { handleOf, requireWebAuthn, type WebAuthnDeps } from "./web-authn.ts";

/** Where a person sees their passkeys. */
export const SECURITY_PAGE = "/app/account/security";

/**
 * Begins to add a passkey, which needs a proof of the person (see `requireProof`); `addPasskey` follows in the same session and
 * browser. Throws `not_configured`, and as `requireProof` does.
 */
export async function beginPasskey(
  deps: ProofDeps & WebAuthnDeps,
  { userId, sessionId }: UserCaller,
  proof: Proof,
  client: Client,
): Promise<{ options: CreationOptions; cookie: FlowCookie }> {
  const webAuthn = requireWebAuthn(deps);
  const user = await requireAccount(deps, userId);
  await requireProof(deps, { user, sessionId }, { ...proof, what: "Adding a passkey", client });
  const { challenge, cookie } = await openChallenge(deps, "addition", sessionId);
  const options = webAuthn.creationOptions({
    challenge,
    user: { handle: handleOf(userId), name: user.email, displayName: user.name },
    existing: await passkeysOf(deps.db, userId),
  });
  return { options, cookie };
}

export interface AddedPasskey {
  name: string;
  credential: CreatedCredential;
  transports: readonly string[];
  /** The cookie that `beginPasskey` set. */
  cookie: string | undefined;
}

/**
 * Stores a passkey that an authenticator has made, and notifies the person by mail. Throws `invalid_input` for a challenge that
 * is not this session's, for a credential that was not made for it and on our pages, and for more passkeys than a person may
 * have; `conflict` for a credential that is there.
 */
export async function addPasskey(
  deps: ProofDeps & WebAuthnDeps & MailDeps & { config: CeilingConfig<"passkeys"> & ConsoleConfig },
  { userId, sessionId }: UserCaller,
  { name, credential, transports, cookie }: AddedPasskey,
  client: Client,
): Promise<Passkey> {
  const webAuthn = requireWebAuthn(deps);
  const user = await requireAccount(deps, userId);
  const challenge = await claimChallenge(deps, "addition", { cookie, sessionId });
  const checked = await webAuthn.verifyCreation(credential, challenge);
  if ("refusal" in checked) {
    deps.log.warn("a new passkey was refused", { cause: checked.refusal });
    throw new AppError("invalid_input", "This passkey was not accepted: try again, or with another device");
  }
  const { id: credentialId, publicKey, counter, isBackedUp } = checked.verified;
  const passkey = { id: newId(), userId, name, credentialId, publicKey, counter, isBackedUp };
  const stored = await insertPasskey(deps, { ...passkey, transports: [...transports] }, sessionId, {
    userId,
    action: "passkey.added",
    resourceType: "passkey",
    resourceId: passkey.id,
    details: { name },
    client,
  }).catch((error: unknown) => {
    if (uniqueViolation(error) !== "passkeys_credential_unique") throw error;
    throw new AppError("conflict", "This passkey has been added already", { cause: error });
  });
  if (!stored) throw new AppError("conflict", "The session has ended in the meantime: sign in again");
  const link = consoleUrl(deps.config, SECURITY_PAGE);
  await sendNotice(deps, user.email, passkeyAdded({ name, link }));
  return stored;
}
