/** Delay of the first run: soon after the start, so that work from the downtime does not wait for the full minute. */
const FIRST_RUN_MS = 1_000;

/**
 * Emulates Cloudflare's cron triggers: `run` is called with each expression that matches the current minute (UTC), and
 * with all of them once after the start and whenever `again` is called. A failed run is reported and not repeated.
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
  let timer = setTimeout(() => {
    fire(options.expressions);
    waitForMinute();
  }, FIRST_RUN_MS);
  const waitForMinute = () => {
    timer = setTimeout(
      () => {
        const now = new Date();
        fire(options.expressions.filter((expression) => isDue(expression, now)));
        waitForMinute();
      },
      60_000 - (Date.now() % 60_000),
    );
  };
  return { again: () => fire(options.expressions), close: () => clearTimeout(timer) };
}

/** Whether an expression of five fields (numbers, `*`, lists, ranges, steps) matches this minute (UTC). */
export function isDue(expression: string, at: Date): boolean {
  const fields = expression.split(" ");
  // Cloudflare counts the days of the week from 1 for Sunday.
  const values = [
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCDate(),
    at.getUTCMonth() + 1,
    at.getUTCDay() + 1,
  ];
  return values.every((value, index) => (fields[index] ?? "").split(",").some((part) => covers(part, value)));
}

function covers(part: string, value: number): boolean {
  const [, range = "", step = "1"] = /^(\*|\d+(?:-\d+)?)(?:\/(\d+))?$/u.exec(part) ?? [];
  if (range === "*") return value % Number(step) === 0;
  const [from = Number.NaN, to = from] = range.split("-").map(Number);
  return value >= from && value <= to && (value - from) % Number(step) === 0;
}
