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
import { codeMatches } from "./code.ts";
import { countAttempt, openAttempt, useAttempt, type CountedAttempt } from "./queries.ts";
import { sessionOver, type TwoFactorDeps } from "./request-code.ts";

type VerifyDeps = SessionDeps & Pick<TwoFactorDeps, "attempts" | "config">;

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
  if (!(await isRight(deps, attempt, code))) {
    if (attempt.attempts >= config.TWO_FA_MAX_ATTEMPTS) await note(deps, attempt, "exhausted", client);
    throw new AppError("unauthenticated", "Invalid or expired code");
  }
  const user = await useAttempt(db, attempt);
  if (!user) throw sessionOver();
  const session = await startSession(deps, user, client, "two_factor");
  await note(deps, attempt, "verified", client);
  await tries.succeeded();
  return session;
}

async function isRight({ config }: VerifyDeps, attempt: CountedAttempt, code: string): Promise<boolean> {
  const wellFormed = code.length === config.TWO_FA_CODE_LENGTH && /^\d+$/u.test(code);
  return wellFormed && !attempt.codeExpired && codeMatches(code, attempt.codeHash, config.SECRET_KEY);
}

async function note(
  { db }: VerifyDeps,
  { id, userId }: CountedAttempt,
  what: "verified" | "exhausted",
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
