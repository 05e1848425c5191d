import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { tickDue } from "./functions.ts";

export interface TickConfig {
  /** Seconds. */
  GATEWAY_TICK_INTERVAL: number;
}

const MINUTE = 60;

/** Has the queue call for a tick at every interval. Idempotent. */
export async function keepTicking({
  queue,
  config,
}: {
  queue: Pick<Queue, "ensureSchedule">;
  config: TickConfig;
}): Promise<void> {
  await queue.ensureSchedule({
    id: "tick-schedules",
    cron: cronOf(config.GATEWAY_TICK_INTERVAL),
    ...messageTo(tickDue, {}),
    // The next tick does what a failed one left.
    retries: 0,
  });
}

/** The queue's clock knows minutes. An interval that does not divide the hour is shortened to one that does. */
export function cronOf(intervalSeconds: number): string {
  const most = Math.floor(intervalSeconds / MINUTE);
  if (most <= 1) return "* * * * *";
  if (most >= MINUTE) return "0 * * * *";
  const minutes = [30, 20, 15, 12, 10, 6, 5, 4, 3, 2].find((each) => each <= most) ?? 1;
  return `*/${minutes} * * * *`;
}

/** Seconds after a tick of the queue's clock at which a shorter interval has further ones, within the minute. */
export function extraTicks(intervalSeconds: number): number[] {
  const count = Math.ceil(MINUTE / intervalSeconds) - 1;
  return Array.from({ length: count }, (_, index) => (index + 1) * intervalSeconds);
}
