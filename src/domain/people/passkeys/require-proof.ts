import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireHolder, type HolderDeps, type User } from "#src/domain/people/accounts/index.ts";
import {
  readAuthenticator,
  requireCodeOfAuthenticator,
  type AuthenticatorDeps,
} from "#src/domain/people/authenticators/index.ts";
import { AppError } from "#src/lib/errors.ts";

export type ProofDeps = HolderDeps & AuthenticatorDeps;

/** What the request has to show that it comes from the person, and not from a thief of the session. */
export interface Proof {
  currentPassword: string | undefined;
  /** Of the authenticator app, or a recovery code. */
  code: string | undefined;
}

/**
 * Checks that a session may change the account's passkeys. A passkey signs in alone, so it takes what the authenticator app
 * takes: where one is on, a code as for turning it off; otherwise what setting one up needs. `what` begins the refusal's
 * sentence. Throws as `requireHolder` and `requireCodeOfAuthenticator`.
 */
export async function requireProof(
  deps: ProofDeps,
  { user, sessionId }: { user: User; sessionId: string },
  { currentPassword, code, what, client }: Proof & { what: string; client: Client },
): Promise<void> {
  const { since } = await readAuthenticator(deps, user.id);
  if (since === null) {
    await requireHolder(deps, { user, sessionId }, { currentPassword, address: client.address, what });
    return;
  }
  if (code === undefined)
    throw new AppError("forbidden", `${what} needs a code of your authenticator app, or a recovery code`);
  await requireCodeOfAuthenticator(deps, user.id, code, client);
}
