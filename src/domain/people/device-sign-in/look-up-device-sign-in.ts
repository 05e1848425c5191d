import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { userCodeHash } from "./codes.ts";
import { deviceSignInByUserCode, type EnteredSignIn } from "./queries.ts";

export interface EnterDeps {
  db: Db;
  attempts: AttemptLimits;
  config: { SECRET_KEY: string };
}

/** The program that asks, for the person who decides. */
type AskingDevice = Pick<EnteredSignIn, "clientName" | "ipAddress" | "createdAt" | "expiresAt">;

/**
 * Returns the program that shows this user code. Throws `not_found` for an unknown code, `conflict` for one that has been
 * decided, `gone` for an expired one, `rate_limited` after five unknown codes in an hour.
 */
export async function lookUpDeviceSignIn(
  deps: EnterDeps,
  caller: UserCaller,
  userCode: string,
  client: Client,
): Promise<AskingDevice> {
  return requireOpen(await enterUserCode(deps, caller, userCode, client));
}

/** Finds the sign-in of a user code, in any state. Every code counts as a guess until it turns out to be known. */
export async function enterUserCode(
  deps: EnterDeps,
  caller: UserCaller,
  userCode: string,
  { address }: Client,
): Promise<EnteredSignIn> {
  const attempt = await beginAttempt(deps, "device", { account: caller.userId, address });
  const hash = userCodeHash(deps.config.SECRET_KEY, userCode);
  const [found] = await deviceSignInByUserCode(deps.db, hash);
  if (!found) throw new AppError("not_found", "Unknown code: compare it with the one that the program shows");
  await attempt.succeeded();
  return found;
}

/** Throws `conflict` for a sign-in that has been decided, `gone` for an expired one. */
export function requireOpen(signIn: EnteredSignIn): EnteredSignIn {
  if (signIn.decided) throw new AppError("conflict", "This sign-in has been approved or denied already");
  if (signIn.expired) throw new AppError("gone", "This code has expired: start the sign-in again");
  return signIn;
}
