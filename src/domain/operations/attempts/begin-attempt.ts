import {
  LOCKOUTS,
  type AttemptKind,
  type AttemptLimits,
  type AttemptRule,
} from "#src/domain/operations/limits/index.ts";
import type { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { rateLimited } from "#src/lib/rate-headers.ts";
import type { RateDecision } from "#src/platform/objects/rate-counts.ts";

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
  return { succeeded: () => giveBack(deps, LOCKOUTS[kind].givenBack ? taken : []) };
}

function countersOf(
  kind: AttemptKind,
  { account, address }: { account?: string; address: string },
): [AttemptRule, string][] {
  const network = networkOf(address);
  // Lookups of accounts ignore case, so all spellings share one counter.
  const hash = account === undefined ? undefined : sha256Hex(account.trim().toLowerCase());
  return LOCKOUTS[kind].counters.flatMap(({ of, rule }): [AttemptRule, string][] => {
    if (of === "network") return [[rule, `${kind}:address:${network}`]];
    if (hash === undefined) return [];
    return [[rule, `${kind}:account:${hash}${of === "account" ? "" : `:${network}`}`]];
  });
}

async function giveBack({ attempts }: AttemptDeps, taken: readonly Taken[]): Promise<void> {
  await Promise.allSettled(taken.map(({ counter, receipt }) => attempts.giveBack(counter, receipt)));
}

function tooMany(decision: RateDecision): AppError {
  const minutes = Math.ceil(decision.retryAfterSeconds / 60);
  return rateLimited(
    decision,
    `Too many attempts: try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}`,
  );
}
