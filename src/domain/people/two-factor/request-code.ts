import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { loginCode, requireMail, sendMail, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { hashCode, newCode, type CodeConfig } from "./code.ts";
import { insertLoginAttempt, openAttempt, replaceCode } from "./queries.ts";

export interface TwoFactorDeps extends MailDeps {
  db: Db;
  attempts: AttemptLimits;
  config: CodeConfig & {
    TWO_FA_CODE_LENGTH: number;
    TWO_FA_CODE_EXPIRY_SECONDS: number;
    TWO_FA_MAX_ATTEMPTS: number;
    TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS: number;
  };
}

/** Whether the mail server accepted the code, or the queue will retry. */
export type Delivery = "sent" | "retrying";

/** The temporary token is only returned here; its hash is stored. */
export interface CodeRequest {
  tempToken: string;
  /** Where the person finds the code: in a mail, or in the authenticator app. */
  method: "email" | "app";
  delivery: Delivery;
}

type Credited = { id: string; passwordHash: string | null };

/**
 * Has a login whose password was correct wait for a code of the person's authenticator app. Returns `undefined` when the
 * account's password has changed by now.
 */
export async function awaitCodeOfApp(
  { db, config }: Pick<TwoFactorDeps, "db" | "config">,
  { id: userId, passwordHash }: Credited,
): Promise<CodeRequest | undefined> {
  const { token, hash: tokenHash } = newToken();
  const attempt = { id: newId(), userId, passwordHash, tokenHash, codeHash: null };
  const seconds = config.TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS;
  const inserted = await insertLoginAttempt(db, attempt, { attemptSeconds: seconds, codeSeconds: seconds });
  return inserted && { tempToken: token, method: "app", delivery: "sent" };
}

/**
 * Mails a code to a person whose password was correct; the token and the code together open a session. Other pending
 * logins of the account stay valid. Returns `undefined` when the account's password has changed by now. Throws
 * `rate_limited` after too many mails, `unavailable` when the code can be neither sent nor queued.
 */
export async function requestCode(
  deps: TwoFactorDeps,
  user: Credited & { email: string },
  client: Client,
): Promise<CodeRequest | undefined> {
  const { db, config } = deps;
  requireMail(deps.mailer);
  await beginAttempt(deps, "mail", { account: user.id, address: client.address });
  const { token, hash: tokenHash } = newToken();
  const code = newCode(config.TWO_FA_CODE_LENGTH);
  const attempt = {
    id: newId(),
    userId: user.id,
    passwordHash: user.passwordHash,
    tokenHash,
    codeHash: await hashCode(config, code),
  };
  const inserted = await insertLoginAttempt(db, attempt, {
    attemptSeconds: config.TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS,
    codeSeconds: config.TWO_FA_CODE_EXPIRY_SECONDS,
  });
  if (!inserted) return undefined;
  const delivery = await mailCode(deps, { userId: user.id, email: user.email }, code, inserted, client);
  return { tempToken: token, method: "email", delivery };
}

/**
 * Mails another code, which voids the previous one. Attempts stay counted. Throws `unauthenticated` for a token whose
 * login has ended, `invalid_input` for one that waits for a code of the authenticator app, `rate_limited`, `unavailable`.
 */
export async function resendCode(deps: TwoFactorDeps, tempToken: string, client: Client): Promise<Delivery> {
  const { db, config } = deps;
  const tokenHash = sha256Hex(tempToken);
  const holder = await openAttempt(db, tokenHash, config.TWO_FA_MAX_ATTEMPTS);
  if (!holder) throw sessionOver();
  if (!holder.isMailed)
    throw new AppError(
      "invalid_input",
      "Your authenticator app has the code. A recovery code works in its place",
    );
  requireMail(deps.mailer);
  await beginAttempt(deps, "mail", { account: holder.userId, address: client.address });
  const code = newCode(config.TWO_FA_CODE_LENGTH);
  const replaced = await replaceCode(db, tokenHash, config.TWO_FA_MAX_ATTEMPTS, {
    codeHash: await hashCode(config, code),
    codeSeconds: config.TWO_FA_CODE_EXPIRY_SECONDS,
  });
  if (!replaced) throw sessionOver();
  return mailCode(deps, holder, code, replaced, client);
}

async function mailCode(
  deps: TwoFactorDeps,
  { userId, email }: { userId: string; email: string },
  code: string,
  { codeExpiresAt }: { codeExpiresAt: Date },
  client: Client,
): Promise<Delivery> {
  const minutes = Math.max(1, Math.round((codeExpiresAt.getTime() - Date.now()) / 60_000));
  const delivery = await sendMail(deps, {
    kind: "login-code",
    to: email,
    ...loginCode({ code, minutes }),
    expiresAt: codeExpiresAt,
  });
  await insertAuditEntry(deps.db, {
    userId,
    action: "two_factor.code_sent",
    resourceType: "user",
    resourceId: userId,
    details: { delivery },
    client,
  });
  return delivery;
}

/** The same refusal for an unknown, expired, used or exhausted token. */
export function sessionOver(): AppError {
  return new AppError("unauthenticated", "Invalid or expired verification session");
}
