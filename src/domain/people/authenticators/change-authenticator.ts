import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { newRecoveryCodes, useCodeOfAuthenticator } from "#src/domain/people/two-factor/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { note, wrongCode, type AuthenticatorDeps } from "./confirm-authenticator.ts";
import { deleteAuthenticator, replaceRecoveryHashes } from "./queries.ts";

/** Turns a person's authenticator app off. A session alone may be stolen: it needs a code. Throws as `requireCodeOfAuthenticator`. */
export async function turnOffAuthenticator(
  deps: AuthenticatorDeps,
  { userId }: UserCaller,
  code: string,
  client: Client,
): Promise<void> {
  await requireCodeOfAuthenticator(deps, userId, code, client);
  await deleteAuthenticator(deps.db, userId);
  await note(deps.db, userId, "off", client);
}

/** Makes new recovery codes, which void those before, and are shown this once. Throws as `requireCodeOfAuthenticator`. */
export async function renewRecoveryCodes(
  deps: AuthenticatorDeps,
  { userId }: UserCaller,
  code: string,
  client: Client,
): Promise<string[]> {
  await requireCodeOfAuthenticator(deps, userId, code, client);
  const { codes, hashes } = await newRecoveryCodes(userId);
  if (!(await replaceRecoveryHashes(deps.db, userId, hashes)))
    throw new AppError("conflict", "The authenticator app was turned off in the meantime");
  await note(deps.db, userId, "recovery_codes_renewed", client);
  return codes;
}

/** Uses a code of the app, or a recovery code. Throws `invalid_input` for a wrong one, and without an app; `rate_limited`. */
export async function requireCodeOfAuthenticator(
  deps: AuthenticatorDeps,
  userId: string,
  code: string,
  { address }: Client,
): Promise<void> {
  const attempt = await beginAttempt(deps, "code", { account: userId, address });
  if (!(await useCodeOfAuthenticator(deps, userId, code))) throw wrongCode();
  await attempt.succeeded();
}
