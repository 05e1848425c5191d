import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { BotError } from "./bot-error.ts";

/**
 * A fault of a bot's next calls, for tests: an error in the Bot API's form, an answer that is none, an answer that never
 * comes, or a connection that breaks after the call had its effect.
 */
export const Fault = z.object({
  /** Of this method only. */
  method: z.string().optional(),
  times: z.int().min(1).max(1_000).default(1),
  kind: z.enum(["error", "garbage", "hang", "lost"]).default("error"),
  status: z.int().min(400).max(599).default(500),
  description: z.string().default("Internal Server Error"),
  retryAfter: z.number().optional(),
  migrateTo: z.int().optional(),
});
type Fault = z.infer<typeof Fault>;

const HANG_MS = 120_000;

/** What a fault makes of a call: an answer, or a broken connection. */
export type Broken = { status: number; body: string } | "disconnect";

/** The faults that bots are to meet. */
export class Faults {
  readonly #faults = new Map<number, Fault[]>();

  set(botId: number, faults: readonly Fault[]): void {
    this.#faults.set(botId, [...faults]);
  }

  /** Does a call, unless it meets a fault. */
  async around(
    botId: number,
    method: string,
    signal: AbortSignal,
    call: () => unknown,
  ): Promise<{ result: unknown } | { broken: Broken }> {
    const fault = this.#next(botId, method);
    if (!fault) return { result: await call() };
    switch (fault.kind) {
      case "error": {
        const parameters = {
          ...(fault.retryAfter !== undefined && { retry_after: fault.retryAfter }),
          ...(fault.migrateTo !== undefined && { migrate_to_chat_id: fault.migrateTo }),
        };
        throw new BotError(
          fault.status,
          fault.description,
          Object.keys(parameters).length > 0 ? parameters : undefined,
        );
      }
      case "garbage": {
        return { broken: { status: 200, body: "<html><body>Not the Bot API</body></html>" } };
      }
      case "hang": {
        await pause(HANG_MS, undefined, { signal }).catch(() => {});
        return { broken: "disconnect" };
      }
      case "lost": {
        await call();
        return { broken: "disconnect" };
      }
      default: {
        return fault.kind satisfies never;
      }
    }
  }

  #next(botId: number, method: string): Fault | undefined {
    const faults = this.#faults.get(botId) ?? [];
    const found = faults.find((fault) => (fault.method ?? method).toLowerCase() === method);
    if (!found) return undefined;
    found.times -= 1;
    if (found.times === 0) faults.splice(faults.indexOf(found), 1);
    return found;
  }
}
