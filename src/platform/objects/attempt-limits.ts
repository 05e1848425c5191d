import type {
  AttemptDecision,
  AttemptWindow,
  RateLimiterObject,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { limitVariables } from "#src/configuration/variables/limits.ts";
import type { Env } from "#src/env.ts";
import type { Trips } from "#src/platform/trips.ts";

/** Addresses that may use up their attempts on one account before the account is closed to all addresses. */
const ADDRESSES_PER_ACCOUNT = 10;

/** People of one network, such as an office, who may use up their guesses before the network is closed to all of them. */
const PEOPLE_PER_ADDRESS = 10;

const GUESSES_PER_PERSON = 5;

const MINUTE_MS = 60_000;

/**
 * Which limit applies: attempts on one account; attempts on one account over all addresses, where each address has its
 * own limit; attempts from one address; messages sent to one account; accounts created from one address; codes
 * of messaging platforms or command lines entered by one person, and from one address; secrets shown to one person, in a short time and in a day; voice
 * messages of one person that are transcribed, in an hour and in a day; executors that read the files of one message.
 */
export type AttemptRule =
  | "account"
  | "everywhere"
  | "address"
  | "mail"
  | "registration"
  | "personCode"
  | "addressCode"
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

type Limits = Pick<Env, "ENVIRONMENT" | keyof typeof limitVariables>;

/** The limits of a configuration. */
export function attemptWindows(env: Limits): Record<AttemptRule, AttemptWindow> {
  const windowMs = env.AUTH_ATTEMPT_WINDOW_SECONDS * 1000;
  const isProduction = env.ENVIRONMENT === "production";
  const guesses = isProduction || env.AUTH_ATTEMPTS_PER_ACCOUNT > 0 ? GUESSES_PER_PERSON : 0;
  return {
    account: { capacity: env.AUTH_ATTEMPTS_PER_ACCOUNT, windowMs },
    everywhere: { capacity: env.AUTH_ATTEMPTS_PER_ACCOUNT * ADDRESSES_PER_ACCOUNT, windowMs },
    address: { capacity: env.AUTH_ATTEMPTS_PER_ADDRESS, windowMs },
    mail: { capacity: env.MAIL_SENDS_PER_ACCOUNT, windowMs },
    registration: { capacity: env.REGISTRATIONS_PER_ADDRESS ?? (isProduction ? 50 : 0), windowMs },
    personCode: { capacity: guesses, windowMs: 60 * MINUTE_MS },
    addressCode: { capacity: guesses * PEOPLE_PER_ADDRESS, windowMs: 60 * MINUTE_MS },
    revealBurst: { capacity: 10, windowMs: 5 * MINUTE_MS },
    revealDay: { capacity: 100, windowMs: 24 * 60 * MINUTE_MS },
    voiceHour: { capacity: 30, windowMs: 60 * MINUTE_MS },
    voiceDay: { capacity: 120, windowMs: 24 * 60 * MINUTE_MS },
    mediaReader: { capacity: 1, windowMs: 2 * MINUTE_MS },
  };
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
