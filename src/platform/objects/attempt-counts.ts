import type {
  AttemptDecision,
  AttemptWindow,
  RateLimiterObject,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { AttemptWindow };

/** Counts attempts, which are kept until their window has passed. */
export interface AttemptCounts<Rule extends string> {
  /** Counts one attempt if it is allowed; `undefined` when the rule is switched off. */
  take(rule: Rule, counter: string): Promise<AttemptDecision | undefined>;
  /** Reverts an allowed attempt. Idempotent. */
  giveBack(counter: string, receipt: string): Promise<void>;
}

export function attemptCounts<Rule extends string>(
  namespace: DurableObjectNamespace<RateLimiterObject>,
  windowOf: (rule: Rule) => AttemptWindow,
  trips: Trips,
): AttemptCounts<Rule> {
  const limiter = (counter: string) => {
    trips.objects += 1;
    return namespace.getByName(counter);
  };
  return {
    async take(rule, counter) {
      const window = windowOf(rule);
      return window.capacity === 0 ? undefined : limiter(counter).takeAttempt(window);
    },
    giveBack: (counter, receipt) => limiter(counter).giveBack(receipt),
  };
}
