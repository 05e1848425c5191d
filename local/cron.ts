import type { Cron } from "croner";
import { numericCron } from "./numeric-cron.ts";

const MINUTE_MS = 60_000;

/** Delay of the first run: soon after the start, so that work from the downtime does not wait for the full minute. */
const FIRST_RUN_MS = 1_000;

/**
 * Emulates Cloudflare's cron triggers: `run` is called with each expression that matches the current minute (UTC), and
 * with all of them once after the start and whenever `again` is called. A failed run is reported and not repeated.
 * Throws for an expression that is not understood.
 */
export function startCron(options: {
  expressions: readonly string[];
  run: (expression: string) => Promise<void>;
  log: (line: string) => void;
}): { again: () => void; close: () => void } {
  const fire = (expressions: readonly string[]) => {
    for (const expression of expressions)
      options.run(expression).catch((error: unknown) => options.log(`Cron ${expression}: ${String(error)}`));
  };
  const crons = options.expressions.map((expression) => ({ expression, cron: understood(expression) }));
  let timer = setTimeout(() => {
    fire(options.expressions);
    waitForMinute();
  }, FIRST_RUN_MS);
  const waitForMinute = () => {
    timer = setTimeout(
      () => {
        // croner compares seconds, too, and timers are late by some milliseconds.
        const minute = new Date(Date.now() - (Date.now() % MINUTE_MS));
        fire(crons.filter(({ cron }) => cron.match(minute)).map(({ expression }) => expression));
        waitForMinute();
      },
      MINUTE_MS - (Date.now() % MINUTE_MS),
    );
  };
  return { again: () => fire(options.expressions), close: () => clearTimeout(timer) };
}

/** Cloudflare counts the days of the week from 1 for Sunday. */
function understood(expression: string): Cron {
  const cron = numericCron(expression, { sunday: 1 });
  if (!cron) throw new Error(`The cron trigger ${expression} is not understood`);
  return cron;
}
