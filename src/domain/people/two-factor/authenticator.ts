import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { acceptStep, secretOfAuthenticator, useRecoveryCode } from "./queries.ts";

/** What authenticator apps assume where nothing else is said: RFC 6238 with SHA-1. */
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** Steps that a clock may be off, to each side. */
const TOLERANCE = 1;
const ISSUER = "Agent Workspace";

/** A recovery code has 80 random bits. That is too many to guess, so its plain hash is stored. */
const RECOVERY_BYTES = 10;
const RECOVERY_CODES = 10;

/** Loaded on first use: few requests need it. */
const otpauth = () => import("otpauth");

/** A new secret in Base32, and the address that an app reads from a QR code. */
export async function newAuthenticator(label: string): Promise<{ secret: string; uri: string }> {
  const { Secret, TOTP } = await otpauth();
  const secret = new Secret();
  const app = new TOTP({ secret, label, issuer: ISSUER, digits: DIGITS, period: PERIOD_SECONDS });
  return { secret: secret.base32, uri: app.toString() };
}

/** The step that a secret's code is of; undefined for any that is not a code of the last, this or the next 30 seconds. */
export async function stepOfCode(secret: string, code: string): Promise<number | undefined> {
  if (!/^\d{6}$/u.test(code)) return undefined;
  const { Secret, TOTP } = await otpauth();
  const app = new TOTP({ secret: Secret.fromBase32(secret), digits: DIGITS, period: PERIOD_SECONDS });
  const timestamp = Date.now();
  const distance = app.validate({ token: code, timestamp, window: TOLERANCE });
  return distance === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + distance;
}

/**
 * Uses a code of a person's authenticator app, or a recovery code, which may be written with spaces and hyphens. Returns which
 * it was; undefined for a wrong one, and for one that was used before.
 */
export async function useCodeOfAuthenticator(
  { db, secrets }: { db: Db; secrets: Secrets },
  userId: string,
  text: string,
): Promise<"app_code" | "recovery_code" | undefined> {
  const code = text.replaceAll(/[\s-]/gu, "").toUpperCase();
  if (code.length > DIGITS) {
    return (await useRecoveryCode(db, userId, hashOf(userId, code))) ? "recovery_code" : undefined;
  }
  const secret = await secretOfAuthenticator(db, userId);
  const step = secret && (await stepOfCode(await secrets.decrypt(secret), code));
  return step && (await acceptStep(db, userId, step)) ? "app_code" : undefined;
}

/** Ten recovery codes of a person, as the person keeps them, and their hashes. */
export async function newRecoveryCodes(userId: string): Promise<{ codes: string[]; hashes: string[] }> {
  const { Secret } = await otpauth();
  const codes = Array.from({ length: RECOVERY_CODES }, () => new Secret({ size: RECOVERY_BYTES }).base32);
  return {
    codes: codes.map((code) => code.replaceAll(/(.{4})(?=.)/gu, "$1-")),
    hashes: codes.map((code) => hashOf(userId, code)),
  };
}

const hashOf = (userId: string, code: string) => sha256Hex(`${userId}:${code}`);
