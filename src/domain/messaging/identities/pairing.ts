import { randomBytes } from "@noble/hashes/utils.js";
import type { Platform, Sender } from "#src/channels/channel.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import {
  deleteCode,
  deleteIdentity,
  identitiesOf,
  identityOfCode,
  putCode,
  verifyCode,
  type Identity,
  type NewCode,
  type ShownIdentity,
} from "./queries/identities.ts";

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
 * Returns a new pairing code for a sender in a channel. Undefined when none may be sent: the sender got one a moment ago, is
 * linked there, or too many codes of the channel wait.
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

/** Forgets a code that did not reach its sender, who then gets another one at once. */
export async function forgetCode(
  deps: { db: Db },
  sender: Pick<NewCode, "channelConfigId" | "platformUserId">,
): Promise<void> {
  await deleteCode(deps.db, sender);
}

export interface EnteredCode {
  platform: Platform;
  code: string;
}

/**
 * Tells whom a code links and whose channel it is of, so that a person decides before it is used. Throws as `verifyPairing`
 * does.
 */
export function previewPairing(
  deps: PairingDeps,
  caller: UserCaller,
  entered: EnteredCode,
  client: { address: string },
): Promise<ShownIdentity> {
  return withCode(deps, caller, client, () => identityOfCode(deps.db, storedForm(entered)));
}

/**
 * Links the sender who was sent this code to the caller, in the channel of the code. Throws `not_found` with the same
 * sentence for a code that is unknown, expired, used, or of another platform; `rate_limited` after five wrong codes in an
 * hour.
 */
export function verifyPairing(
  deps: PairingDeps,
  caller: UserCaller,
  entered: EnteredCode,
  client: { address: string },
): Promise<Identity> {
  const { userId } = caller;
  return withCode(deps, caller, client, () => verifyCode(deps.db, { userId, ...storedForm(entered) }));
}

interface PairingDeps {
  db: Db;
  attempts: AttemptLimits;
}

const storedForm = ({ platform, code }: EnteredCode) => ({ platform, codeHash: hashOf(code) });

/** Counts wrong codes: every way to try one out is a guess. */
async function withCode<Found>(
  deps: PairingDeps,
  caller: UserCaller,
  { address }: { address: string },
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const attempt = await beginAttempt(deps, "identity", { account: caller.userId, address });
  const found = await find();
  if (!found) throw new AppError("not_found", "Invalid or expired pairing code");
  await attempt.succeeded();
  return found;
}

/** The caller's links, newest first. */
export function listIdentities(deps: { db: Db }, caller: UserCaller): Promise<ShownIdentity[]> {
  return identitiesOf(deps.db, caller.userId);
}

/**
 * Removes a link of the caller's, or forgets a stranger to whom a channel of the caller's sent a code. The sender's next
 * message in the channel begins pairing anew. Throws `not_found`.
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
