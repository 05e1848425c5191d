import type http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

/**
 * A fault of the next calls, for tests: another status, an answer that is none, an answer that is late, or a connection
 * that breaks after the call had its effect.
 */
export const Fault = z
  .strictObject({
    /** Which calls, in the words of the stand-in; without it every call. */
    call: z.string().optional(),
    status: z.int().min(400).max(599).optional(),
    /** Milliseconds. */
    delay: z.number().min(0).max(120_000).optional(),
    garbage: z.boolean().default(false),
    lost: z.boolean().default(false),
    /** Whether a call that is answered with `status` has its effect nevertheless. */
    effect: z.boolean().default(false),
    /** Seconds in the header `Retry-After` of an answer with `status`. */
    retry_after: z.number().min(0).max(86_400).optional(),
    times: z.int().min(1).max(1_000_000).default(1),
  })
  .refine(
    ({ status, delay, garbage, lost }) => status !== undefined || delay !== undefined || garbage || lost,
    {
      message: "A fault has a status, a delay, garbage or is lost",
    },
  );
export type Fault = z.infer<typeof Fault>;

/** The body of the control that sets faults: several, or one by itself. */
export const WishedFaults = z.preprocess(
  (given) => (given instanceof Object && "faults" in given ? given : { faults: [given] }),
  z.object({ faults: z.array(Fault) }),
);

/** The faults that calls are to meet. They do not survive a restart. */
export class Faults {
  readonly #isMeant: (wanted: string, call: string) => boolean;
  #faults: Fault[] = [];

  /** `isMeant` says whether a fault's `call` means a call. */
  constructor(isMeant: (wanted: string, call: string) => boolean) {
    this.#isMeant = isMeant;
  }

  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ ...fault }));
  }

  /** Returns the fault of a call, such as `POST customers`, and counts it. */
  next(called: string): Fault | undefined {
    const fault = this.#faults.find(({ call }) => call === undefined || this.#isMeant(call, called));
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) this.#faults.splice(this.#faults.indexOf(fault), 1);
    return fault;
  }
}

/** Waits as long as the fault says; ends early when the caller leaves. */
export async function delayed({ delay }: Fault, signal: AbortSignal): Promise<void> {
  if (delay !== undefined) await pause(delay, undefined, { signal }).catch(() => {});
}

/** Answers with something that is no answer of an API. */
export function sendGarbage(response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Not the API</body></html>");
}
