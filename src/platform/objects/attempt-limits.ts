import type {
  AttemptDecision,
  AttemptWindow,
  RateLimiterObject,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

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

/** How the rest of the code counts attempts, which are kept until their window has passed. */
export interface AttemptLimits {
  /** Count one attempt, if it is let in; `undefined` when the rule is switched off. */
  take(rule: AttemptRule, counter: string): Promise<AttemptDecision | undefined>;
  /** Undo an attempt that was let in. Safe to repeat. */
  giveBack(counter: string, receipt: string): Promise<void>;
}

export function attemptLimits(
  namespace: DurableObjectNamespace<RateLimiterObject>,
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
