import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireAccount, requireHolder, type HolderDeps } from "#src/domain/people/accounts/index.ts";
import { newAuthenticator } from "#src/domain/people/two-factor/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { storeUnconfirmed } from "./queries.ts";

/**
 * Begins to set up an authenticator app: it counts once `confirmAuthenticator` got a code of it. Needs what a new password
 * needs. Returns the secret, and the address for a QR code. Throws `conflict` where an app counts already, and as
 * `requireHolder` does.
 */
export async function setUpAuthenticator(
  deps: HolderDeps & { secrets: Secrets },
  { userId, sessionId }: UserCaller,
  given: { currentPassword: string | undefined; address: string },
): Promise<{ secret: string; uri: string }> {
  const user = await requireAccount(deps, userId);
  await requireHolder(deps, { user, sessionId }, { ...given, what: "Setting up an authenticator app" });
  const app = await newAuthenticator(user.email);
  const encryptedSecret = await deps.secrets.encrypt(app.secret);
  if (!(await storeUnconfirmed(deps.db, { id: newId(), userId, encryptedSecret })))
    throw new AppError("conflict", "An authenticator app is on already: turn it off first");
  return app;
}
