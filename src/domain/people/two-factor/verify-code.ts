import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { useCodeOfAuthenticator } from "./authenticator.ts";
import { codeMatches } from "./code.ts";
import { countAttempt, openAttempt, useAttempt, type CountedAttempt } from "./queries.ts";
import { sessionOver, type TwoFactorDeps } from "./request-code.ts";

type VerifyDeps = SessionDeps & Pick<TwoFactorDeps, "attempts" | "config"> & { secrets: Secrets };

/**
 * Opens the session of a login whose code is correct. A try is counted before the code is compared, over the whole life
 * of the login, and the login is used up before the session opens: of concurrent calls with the correct code, only one
 * opens a session. Throws `unauthenticated`, `rate_limited`.
 */
export async function verifyCode(
  deps: VerifyDeps,
  { tempToken, code }: { tempToken: string; code: string },
  client: Client,
): Promise<Session> {
  const { db, config } = deps;
  const tokenHash = sha256Hex(tempToken);
  const holder = await openAttempt(db, tokenHash, config.TWO_FA_MAX_ATTEMPTS);
  const { address } = client;
  const tries = await beginAttempt(deps, "code", holder ? { account: holder.userId, address } : { address });
  const attempt = holder && (await countAttempt(db, tokenHash, config.TWO_FA_MAX_ATTEMPTS));
  if (!attempt) throw sessionOver();
  const proof = await proofOf(deps, attempt, code);
  if (!proof) {
    if (attempt.attempts >= config.TWO_FA_MAX_ATTEMPTS) await note(deps, attempt, "exhausted", client);
    throw new AppError("unauthenticated", "Invalid or expired code");
  }
  const user = await useAttempt(db, attempt);
  if (!user) throw sessionOver();
  const session = await startSession(deps, user, client, "two_factor");
  await note(deps, attempt, proof === "recovery_code" ? "recovered" : "verified", client);
  await tries.succeeded();
  return session;
}

/** What a code is, if it is right. */
async function proofOf(deps: VerifyDeps, { userId, codeHash, codeExpired }: CountedAttempt, code: string) {
  if (codeHash === null) return useCodeOfAuthenticator(deps, userId, code);
  const { TWO_FA_CODE_LENGTH, SECRET_KEY } = deps.config;
  const wellFormed = code.length === TWO_FA_CODE_LENGTH && /^\d+$/u.test(code);
  const isRight = wellFormed && !codeExpired && (await codeMatches(code, codeHash, SECRET_KEY));
  return isRight ? "mailed_code" : undefined;
}

async function note(
  { db }: VerifyDeps,
  { id, userId }: CountedAttempt,
  what: "verified" | "recovered" | "exhausted",
  client: Client,
): Promise<void> {
  await insertAuditEntry(db, {
    userId,
    action: `two_factor.${what}`,
    resourceType: "login_attempt",
    resourceId: id,
    client,
  });
}
