import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCron } from "#functions/cron.ts";
import type { Services } from "#src/services.ts";

/** A job that reads a service proves that the expression has a job. */
const services = new Proxy<Services>(Object({}), {
  get() {
    throw new Error("A job began");
  },
});

const [, list = "[]"] = /^crons = (\[.*\])$/mu.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
const expressions: string[] = JSON.parse(list);

describe("a cron expression", () => {
  it("is in wrangler.toml", () => {
    expect(expressions.length).toBeGreaterThan(0);
  });

  it.each(expressions)("has a job: %s", async (expression) => {
    await expect(runCron(services, expression)).rejects.toThrow("A job began");
  });

  it("that is unknown is a failure", async () => {
    await expect(runCron(services, "1 2 3 4 5")).rejects.toThrow("No job");
  });
});
