import { Hono } from "hono";
import { expect, it } from "vitest";
import { serve } from "#functions/serve.ts";
import type { AppEnv } from "#src/http/context.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import { partOf } from "#test/support/part-of.ts";

/** Delivers a job that ends so. */
async function deliver(run: () => Promise<{ retryAfterSeconds: number } | void>, { isGenuine = true } = {}) {
  const services = partOf<Services>({
    config: { PUBLIC_URL: "https://service.test" },
    verifyDelivery: async () => isGenuine,
    log: { error: () => {} },
  });
  const app = new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set("services", services);
      await next();
    })
    .route("/", serve([{ name: "job", run }]))
    .onError((error, c) => c.text(error.message, 500));
  const response = await app.request("/job", {
    method: "POST",
    headers: { "upstash-signature": "signature" },
  });
  return {
    status: response.status,
    isGivenUp: response.headers.get("upstash-nonretryable-error") === "true",
    retryAfter: response.headers.get("retry-after"),
  };
}

const throwing = (error: Error) => async (): Promise<void> => {
  throw error;
};

it.each([
  ["that is done is not delivered again", async () => {}, { status: 200, isGivenUp: false }],
  [
    "that asks for a later delivery says when",
    async () => ({ retryAfterSeconds: 7 }),
    { status: 429, isGivenUp: false, retryAfter: "7" },
  ],
  [
    "that failed for now is delivered again",
    throwing(new AppError("unavailable", "The database is down")),
    { status: 500, isGivenUp: false },
  ],
  [
    "that failed for an unknown reason is delivered again",
    throwing(new Error("a bug")),
    { status: 500, isGivenUp: false },
  ],
  [
    "that can never succeed is given up",
    throwing(new AppError("not_found", "The task is gone")),
    { status: 489, isGivenUp: true },
  ],
])("a job %s", async (_, run, expected) => {
  expect(await deliver(run)).toMatchObject(expected);
});

it("a job without the queue's signature does not run", async () => {
  let hasRun = false;
  const run = async () => void (hasRun = true);
  expect(await deliver(run, { isGenuine: false })).toMatchObject({ status: 500, isGivenUp: false });
  expect(hasRun).toBe(false);
});
