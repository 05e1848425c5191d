import { setTimeout as pause } from "node:timers/promises";
import { signedHeaders } from "./secret.ts";

/** Longest that a receiver takes to answer, in milliseconds. As that of the service's own callbacks. */
const TIMEOUT_MS = 10_000;
/** Milliseconds before each further attempt: a receiver that is restarted meanwhile is waited for. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000] as const;

/** One attempt to deliver. */
export interface Attempt {
  readonly attempt: number;
  readonly delivered: boolean;
  /** HTTP status of the receiver's response; null without one. */
  readonly statusCode: number | null;
  readonly error: string | null;
}

interface Delivery {
  readonly receiver: string;
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly signal: AbortSignal;
  readonly told: (attempt: Attempt) => void;
  /** For tests. */
  readonly pausesMs?: readonly number[];
}

/** Posts a signed body until the receiver takes it. False when the last attempt has failed. */
export async function forward({
  pausesMs = PAUSES_MS,
  told,
  signal,
  ...delivery
}: Delivery): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await post(delivery, signal);
    told({ attempt, ...outcome });
    if (outcome.delivered) return true;
    const wait = pausesMs[attempt - 1];
    if (wait === undefined) return false;
    await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function post(
  { receiver, id, body, secret }: Pick<Delivery, "receiver" | "id" | "body" | "secret">,
  signal: AbortSignal,
): Promise<Omit<Attempt, "attempt">> {
  try {
    const response = await fetch(receiver, {
      method: "POST",
      headers: signedHeaders(id, body, secret, Date.now()),
      body,
      // A redirect could lead the body elsewhere.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    const { ok, status } = response;
    return { delivered: ok, statusCode: status, error: ok ? null : `The receiver answered ${status}` };
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    return { delivered: false, statusCode: null, error: `The receiver could not be reached: ${reason}` };
  }
}
