import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";
import type { AttemptLimits, AttemptRule } from "#src/platform/objects/attempt-limits.ts";
import type { RateDecision } from "#src/platform/objects/rate-limits.ts";

/** A counter's key and its limit. */
interface Counter {
  of: "address" | "account" | "account at address";
  rule: AttemptRule;
}

/** Counted first: a client that has used up its address's limit does not affect the account's counter. */
const ADDRESS: Counter = { of: "address", rule: "address" };

const GUESSES = { counters: [ADDRESS, { of: "account", rule: "account" }], givenBack: true } as const;

/** Codes of a few characters, which a person who is signed in enters. */
const CODES = {
  counters: [
    { of: "address", rule: "addressCode" },
    { of: "account", rule: "personCode" },
  ],
  givenBack: true,
} as const;

const MESSAGES = { counters: [ADDRESS, { of: "account", rule: "mail" }], givenBack: false } as const;

/**
 * What an attempt is for: a password, a mailed code, a reset link, a pairing token, a code that another device shows; or a
 * mail to be sent, or a new account. Each kind is counted separately, so that many invitations to a person do not block
 * that person's login codes.
 *
 * A stranger can try passwords on any account. So that a single stranger cannot lock an account, its limit applies per
 * address, and all addresses together have a higher limit. Many people may share an address, so its limit is higher than
 * an account's. `givenBack` says whether a success is subtracted from the count.
 */
export const KINDS = {
  login: {
    counters: [ADDRESS, { of: "account at address", rule: "account" }, { of: "account", rule: "everywhere" }],
    givenBack: true,
  },
  code: GUESSES,
  reset: GUESSES,
  pairing: GUESSES,
  /** The code that a messaging platform's user was sent. */
  identity: CODES,
  /** The code that a command line shows to the person who signs in with it. */
  device: CODES,
  mail: MESSAGES,
  invitation: MESSAGES,
  registration: { counters: [{ of: "address", rule: "registration" }], givenBack: false },
} as const satisfies Record<string, { counters: readonly Counter[]; givenBack: boolean }>;

export type AttemptKind = keyof typeof KINDS;

/** An admitted attempt. It counts as failed until `succeeded` is called. */
export interface Attempt {
  /**
   * Subtracts the attempt from the count; a sent mail stays counted. Idempotent, and never throws: an attempt that
   * cannot be subtracted stays counted until its window has passed.
   */
  succeeded(): Promise<void>;
}

interface AttemptDeps {
  attempts: AttemptLimits;
}

interface Taken {
  counter: string;
  receipt: string;
}

/**
 * Counts an attempt on an account and from an address, before the secret is compared, so that concurrent guesses are
 * counted too. `account` identifies the account, known or not; attempts from an unknown `address` share one counter.
 * Throws `rate_limited` with the time to wait and the `X-RateLimit-*` headers of the exceeded limit.
 */
export async function beginAttempt(
  deps: AttemptDeps,
  kind: AttemptKind,
  subjects: { account?: string; address: string },
): Promise<Attempt> {
  const taken: Taken[] = [];
  try {
    for (const [rule, counter] of countersOf(kind, subjects)) {
      const decision = await deps.attempts.take(rule, counter);
      if (decision?.allowed === false) throw tooMany(decision);
      if (decision?.receipt !== undefined) taken.push({ counter, receipt: decision.receipt });
    }
  } catch (error) {
    await giveBack(deps, taken);
    throw error;
  }
  return { succeeded: () => giveBack(deps, KINDS[kind].givenBack ? taken : []) };
}

function countersOf(
  kind: AttemptKind,
  { account, address }: { account?: string; address: string },
): [AttemptRule, string][] {
  const network = networkOf(address);
  // Lookups of accounts ignore case, so all spellings share one counter.
  const hash = account === undefined ? undefined : sha256Hex(account.trim().toLowerCase());
  return KINDS[kind].counters.flatMap(({ of, rule }): [AttemptRule, string][] => {
    if (of === "address") return [[rule, `${kind}:address:${network}`]];
    if (hash === undefined) return [];
    return [[rule, `${kind}:account:${hash}${of === "account" ? "" : `:${network}`}`]];
  });
}

async function giveBack({ attempts }: AttemptDeps, taken: readonly Taken[]): Promise<void> {
  await Promise.allSettled(taken.map(({ counter, receipt }) => attempts.giveBack(counter, receipt)));
}

function tooMany(decision: RateDecision): AppError {
  const minutes = Math.ceil(decision.retryAfterSeconds / 60);
  return new AppError(
    "rate_limited",
    `Too many attempts: try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}`,
    { retryAfterSeconds: decision.retryAfterSeconds, headers: rateHeaders(decision) },
  );
}
