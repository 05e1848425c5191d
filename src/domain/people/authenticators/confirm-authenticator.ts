import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { newRecoveryCodes, stepOfCode } from "#src/domain/people/two-factor/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { authenticatorOf, storeConfirmed } from "./queries.ts";

export interface AuthenticatorDeps {
  db: Db;
  secrets: Secrets;
  attempts: AttemptLimits;
}

/**
 * Turns on the app that was set up, which the code proves to have its secret. Returns the recovery codes, which are shown this
 * once. Throws `conflict` where none waits to be confirmed, `invalid_input` for a wrong code, `rate_limited`.
 */
export async function confirmAuthenticator(
  deps: AuthenticatorDeps,
  { userId }: UserCaller,
  code: string,
  client: Client,
): Promise<string[]> {
  const attempt = await beginAttempt(deps, "code", { account: userId, address: client.address });
  const app = await authenticatorOf(deps.db, userId);
  if (!app || app.confirmedAt)
    throw new AppError("conflict", "No authenticator app waits to be confirmed: set one up first");
  const step = await stepOfCode(await deps.secrets.decrypt(app.encryptedSecret), code.replaceAll(/\s/gu, ""));
  if (step === undefined) throw wrongCode();
  const { codes, hashes } = await newRecoveryCodes(userId);
  if (!(await storeConfirmed(deps.db, app, { step, recoveryHashes: hashes })))
    throw new AppError("conflict", "The authenticator app was set up anew in the meantime: begin again");
  await note(deps.db, userId, "on", client);
  await attempt.succeeded();
  return codes;
}

/** In the person's own log. */
export async function note(
  db: Db,
  userId: string,
  what: "on" | "off" | "recovery_codes_renewed",
  client: Client,
): Promise<void> {
  const action = `authenticator.${what}`;
  await insertAuditEntry(db, { userId, action, resourceType: "user", resourceId: userId, client });
}

export function wrongCode(): AppError {
  return new AppError("invalid_input", "The code is wrong or was used before: wait for the next one");
}
