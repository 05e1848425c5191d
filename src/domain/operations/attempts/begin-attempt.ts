import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";
import type { AttemptLimits, AttemptRule } from "#src/platform/objects/attempt-limits.ts";
import type { RateDecision } from "#src/platform/objects/rate-limits.ts";

/** What is counted, and which limit it has. */
interface Counter {
  of: "address" | "account" | "account at address";
  rule: AttemptRule;
}

/** The address comes first: who has used up his own does not touch the account's. */
const ADDRESS: Counter = { of: "address", rule: "address" };

const GUESSES = { counters: [ADDRESS, { of: "account", rule: "account" }], givenBack: true } as const;

const MESSAGES = { counters: [ADDRESS, { of: "account", rule: "mail" }], givenBack: false } as const;

/**
 * What is tried: a password, an emailed code, a reset link, a pairing token; or a message that is to be sent, or an account
 * made. Each kind counts apart: who invites a person over and over does not keep their login codes from them.
 *
 * Passwords anybody may try on anybody. So that nobody is locked out by a stranger alone, an account's limit is for each
 * address, and what all addresses together have is higher. `givenBack` says whether a success is taken out of the count.
 */
const KINDS = {
  login: {
    counters: [ADDRESS, { of: "account at address", rule: "account" }, { of: "account", rule: "everywhere" }],
    givenBack: true,
  },
  code: GUESSES,
  reset: GUESSES,
  pairing: GUESSES,
  mail: MESSAGES,
  invitation: MESSAGES,
  registration: { counters: [{ of: "address", rule: "registration" }], givenBack: false },
} as const satisfies Record<string, { counters: readonly Counter[]; givenBack: boolean }>;

export type AttemptKind = keyof typeof KINDS;

/** An attempt that was let in and counts as failed until it is said to have succeeded. */
export interface Attempt {
  /**
   * Take it out of the count; a sent message stays in it. Safe to repeat, and never throws: what cannot be given back
   * stays counted until its window has passed.
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
 * Count an attempt on an account and from an address, before the secret is looked at, so that guesses that run at the
 * same time are counted too. `account` is whatever names it, known or not; an `address` that is not known is one for all
 * of its kind. Throws `rate_limited` with the time to wait and the `X-RateLimit-*` headers of the limit that was reached.
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
  // Accounts are found whatever the case of their letters, so all spellings share one counter.
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
