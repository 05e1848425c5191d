import { randomBytes } from "@noble/hashes/utils.js";
import type { Platform, Sender } from "#src/channels/channel.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/platform/objects/attempt-limits.ts";
import { deleteCode, deleteIdentity, identitiesOf, putCode, verifyCode, type Identity } from "./queries.ts";

/** Without letters and digits that look alike: O and 0, I and 1. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

export interface PairingConfig {
  /** Seconds that a code is good for. */
  GATEWAY_PAIRING_CODE_TTL: number;
  /** Codes of one channel that wait to be entered. */
  GATEWAY_PAIRING_MAX_PENDING: number;
  /** Minutes between two codes for one person. */
  GATEWAY_PAIRING_RATE_LIMIT_MINUTES: number;
}

/**
 * Returns a new pairing code for a person on a platform. Undefined when none may be sent: the person got one a moment ago,
 * is verified, or too many codes of the channel wait.
 */
export async function newPairingCode(
  deps: { db: Db; config: PairingConfig },
  { channelConfigId, platform, sender }: { channelConfigId: string; platform: Platform; sender: Sender },
): Promise<string | undefined> {
  const code = randomCode();
  const stored = await putCode(
    deps.db,
    {
      platform,
      platformUserId: sender.id,
      platformUsername: sender.name,
      channelConfigId,
      codeHash: hashOf(code),
    },
    {
      ttlSeconds: deps.config.GATEWAY_PAIRING_CODE_TTL,
      pauseMinutes: deps.config.GATEWAY_PAIRING_RATE_LIMIT_MINUTES,
      maxPending: deps.config.GATEWAY_PAIRING_MAX_PENDING,
    },
  );
  return stored ? code : undefined;
}

/** Forgets a code that did not reach its person, who then gets another one at once. */
export async function forgetCode(
  deps: { db: Db },
  platform: Platform,
  platformUserId: string,
): Promise<void> {
  await deleteCode(deps.db, platform, platformUserId);
}

/**
 * Links the person who was sent this code to the caller. Throws `not_found` with the same sentence for a code that is
 * unknown, expired, used, or of another platform; `rate_limited` after five wrong codes in an hour.
 */
export async function verifyPairing(
  deps: { db: Db; attempts: AttemptLimits },
  caller: UserCaller,
  { platform, code }: { platform: Platform; code: string },
  { address }: { address: string },
): Promise<Identity> {
  const attempt = await beginAttempt(deps, "identity", { account: caller.userId, address });
  const identity = await verifyCode(deps.db, { userId: caller.userId, platform, codeHash: hashOf(code) });
  if (!identity) throw new AppError("not_found", "Invalid or expired pairing code");
  await attempt.succeeded();
  return identity;
}

/** The caller's verified identities, newest first. */
export function listIdentities(deps: { db: Db }, caller: UserCaller): Promise<Identity[]> {
  return identitiesOf(deps.db, caller.userId);
}

/**
 * Unlinks an identity of the caller's, or forgets a stranger to whom a channel of the caller's sent a code. The person's next
 * message begins pairing anew. Throws `not_found`.
 */
export async function unlinkIdentity(deps: { db: Db }, caller: UserCaller, id: string): Promise<Identity> {
  const identity = isId(id) ? await deleteIdentity(deps.db, caller.userId, id) : undefined;
  if (!identity) throw new AppError("not_found", "Identity not found");
  return identity;
}

/** 40 random bits: the alphabet has 32 characters, so that each is as likely as the others. */
function randomCode(): string {
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** As people type it: in any case, with spaces or dashes. */
function hashOf(code: string): string {
  return sha256Hex(code.replaceAll(/[\s-]/gu, "").toUpperCase());
}
