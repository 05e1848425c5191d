import type { RateLimiter } from "#durable-objects/rate-limiter/index.ts";
import type { Trips } from "#src/platform/trips.ts";
import type { RateDecision } from "./rate-limits.ts";

/**
 * Which limit applies: attempts on one account, from everywhere where each address has a limit of its own, from one address;
 * messages sent to one account; accounts made from one address; secrets that one person is shown, at once and in a day.
 */
export type AttemptRule =
  | "account"
  | "everywhere"
  | "address"
  | "mail"
  | "registration"
  | "revealBurst"
  | "revealDay";

/** At most `capacity` attempts in any `windowMs`. */
export interface AttemptWindow {
  capacity: number;
  windowMs: number;
}

export interface AttemptDecision extends RateDecision {
  /** Names the attempt that was let in, for giving it back. */
  receipt?: string;
}

/** How the rest of the code counts attempts, which are kept until their window has passed. */
export interface AttemptLimits {
  /** Count one attempt, if it is let in; `undefined` when the rule is switched off. */
  take(rule: AttemptRule, counter: string): Promise<AttemptDecision | undefined>;
  /** Undo an attempt that was let in. Safe to repeat. */
  giveBack(counter: string, receipt: string): Promise<void>;
}

export function attemptLimits(
  namespace: DurableObjectNamespace<RateLimiter>,
  windows: Record<AttemptRule, AttemptWindow>,
  trips: Trips,
): AttemptLimits {
  const limiter = (counter: string) => {
    trips.objects += 1;
    return namespace.getByName(counter);
  };
  return {
    async take(rule, counter) {
      const window = windows[rule];
      return window.capacity === 0 ? undefined : limiter(counter).takeAttempt(window);
    },
    giveBack: (counter, receipt) => limiter(counter).giveBack(receipt),
  };
}
