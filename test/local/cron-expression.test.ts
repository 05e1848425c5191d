import { describe, expect, it } from "vitest";
import { matches, nextMatch, parseCron, type Cron } from "#local/cron-expression.ts";

function cron(expression: string, sunday: 0 | 1 = 0): Cron {
  const parsed = parseCron(expression, { sunday });
  if (!parsed) throw new Error(`${expression} is not understood`);
  return parsed;
}

describe("a cron expression", () => {
  it.each([
    ["* * * * *", "2026-03-01T10:07:00Z", true],
    ["*/5 * * * *", "2026-03-01T10:05:59Z", true],
    ["*/5 * * * *", "2026-03-01T10:07:00Z", false],
    ["0 3 * * *", "2026-03-01T03:00:00Z", true],
    ["0 3 * * *", "2026-03-01T04:00:00Z", false],
    ["10-20/5,40 * * * *", "2026-03-01T00:15:00Z", true],
    ["10-20/5,40 * * * *", "2026-03-01T00:40:00Z", true],
    ["10-20/5,40 * * * *", "2026-03-01T00:16:00Z", false],
    ["0 0 1 1 *", "2027-01-01T00:00:00Z", true],
    ["0 0 */2 * *", "2026-03-01T00:00:00Z", true],
    ["0 0 */2 * *", "2026-03-02T00:00:00Z", false],
    // 1 March 2026 is a Sunday.
    ["0 0 * * 0", "2026-03-01T00:00:00Z", true],
    ["0 0 * * 1", "2026-03-01T00:00:00Z", false],
    ["0 0 15 * 0", "2026-03-01T00:00:00Z", true],
    ["0 0 15 * 0", "2026-03-15T00:00:00Z", true],
    ["0 0 15 * 0", "2026-03-16T00:00:00Z", false],
  ])("%s at %s: %s", (expression, at, due) => {
    expect(matches(cron(expression), new Date(at))).toBe(due);
  });

  it.each([
    ["0 0 * * 1", "2026-03-01T00:00:00Z", true],
    ["0 0 * * 2", "2026-03-01T00:00:00Z", false],
    ["0 0 * * 7", "2026-02-28T00:00:00Z", true],
  ])("%s at %s, where Sunday is 1: %s", (expression, at, due) => {
    expect(matches(cron(expression, 1), new Date(at))).toBe(due);
  });

  it.each([
    ["* * * * *", "2026-03-01T10:07:00.000Z", "2026-03-01T10:08:00.000Z"],
    ["* * * * *", "2026-03-01T10:06:59.999Z", "2026-03-01T10:07:00.000Z"],
    ["30 9 * * 1-5", "2026-03-06T09:30:00.000Z", "2026-03-09T09:30:00.000Z"],
    ["59 23 31 12 *", "2026-12-31T23:59:00.000Z", "2027-12-31T23:59:00.000Z"],
    ["0 0 29 2 *", "2096-02-29T00:00:00.000Z", "2104-02-29T00:00:00.000Z"],
  ])("%s after %s: %s", (expression, after, next) => {
    expect(new Date(nextMatch(cron(expression), Date.parse(after)) ?? 0).toISOString()).toBe(next);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "20-10 * * * *",
    "*/0 * * * *",
    "5/10 * * * *",
    "-5 * * * *",
    "1,,2 * * * *",
    "0 9 * * MON",
    "0 0 L * *",
    "0 0 31 2 *",
    "@daily",
    "CRON_TZ=Europe/London 0 9 * * *",
  ])("%j is not understood", (expression) => {
    expect(parseCron(expression, { sunday: 0 })).toBeUndefined();
  });
});
