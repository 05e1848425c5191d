import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

/**
 * A fault of the next calls, for tests: another status, an answer that is none, an answer that is late, or a connection
 * that breaks after the call had its effect.
 */
export const Fault = z
  .strictObject({
    /** Such as `POST checkout/sessions` or `GET subscriptions`; without it every call. */
    call: z.string().optional(),
    status: z.int().min(400).max(599).optional(),
    delay: z.number().min(0).max(120_000).optional(),
    garbage: z.boolean().default(false),
    lost: z.boolean().default(false),
    /** Whether a call that is answered with `status` has its effect nevertheless. */
    effect: z.boolean().default(false),
    times: z.int().min(1).max(1_000_000).default(1),
  })
  .refine(
    ({ status, delay, garbage, lost }) => status !== undefined || delay !== undefined || garbage || lost,
    {
      message: "A fault has a status, a delay, garbage or is lost",
    },
  );
export type Fault = z.infer<typeof Fault>;

/** The faults that calls are to meet. They do not survive a restart. */
export class Faults {
  #faults: Fault[] = [];

  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ ...fault }));
  }

  /** Returns the fault of a call and counts it. `path` is that below `/v1/`. */
  next(method: string, path: string): Fault | undefined {
    const fault = this.#faults.find(({ call }) => call === undefined || isCall(call, method, path));
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) this.#faults.splice(this.#faults.indexOf(fault), 1);
    return fault;
  }
}

function isCall(call: string, method: string, path: string): boolean {
  const [wanted, prefix = ""] = call.split(" ");
  return wanted === method && (path === prefix || path.startsWith(`${prefix}/`));
}

/** Waits as long as the fault says; ends early when the caller leaves. */
export async function delayed({ delay }: Fault, signal: AbortSignal): Promise<void> {
  if (delay !== undefined) await pause(delay, undefined, { signal }).catch(() => {});
}
