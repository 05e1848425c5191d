import { describe, expect, it } from "vitest";
import { isDue } from "#local/cron.ts";

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
    // 1 March 2026 is a Sunday, which Cloudflare counts as 1.
    ["0 0 * * 1", "2026-03-01T00:00:00Z", true],
    ["0 0 * * 2", "2026-03-01T00:00:00Z", false],
  ])("%s at %s: %s", (expression, at, due) => {
    expect(isDue(expression, new Date(at))).toBe(due);
  });
});
