import type {
  AttemptDecision,
  AttemptWindow,
  RateLimiterObject,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

/**
 * Which limit applies: attempts on one account; attempts on one account over all addresses, where each address has its
 * own limit; attempts from one address; messages sent to one account; accounts created from one address; pairing
 * codes of messaging platforms entered by one person; secrets shown to one person, in a short time and in a day; voice
 * messages of one person that are transcribed, in an hour and in a day; executors that read the files of one message.
 */
export type AttemptRule =
  | "account"
  | "everywhere"
  | "address"
  | "mail"
  | "registration"
  | "identity"
  | "revealBurst"
  | "revealDay"
  | "voiceHour"
  | "voiceDay"
  | "mediaReader";

/** Counts attempts, which are kept until their window has passed. */
export interface AttemptLimits {
  /** Counts one attempt if it is allowed; `undefined` when the rule is switched off. */
  take(rule: AttemptRule, counter: string): Promise<AttemptDecision | undefined>;
  /** Reverts an allowed attempt. Idempotent. */
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
