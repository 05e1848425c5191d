import { describe, expect, it, vi } from "vitest";
import { Variables } from "#src/configuration/index.ts";
import { createPayments } from "#src/platform/payments/index.ts";

/** Far below what the provider asks for here, and far above what the attempts take. */
const NO_WAIT_MS = 30_000;
/** A time that is over soon. */
const SHORT_MS = 1_000;

/** The timeout of an installation that sets none. */
function configuredTimeoutMs(): number {
  return Variables.pick({ STRIPE_TIMEOUT_SECONDS: true }).parse({}).STRIPE_TIMEOUT_SECONDS * 1_000;
}

/** The provider behind `fetch`. */
function paymentsOver(send: typeof fetch, timeoutMs = configuredTimeoutMs()) {
  return createPayments({
    secretKey: "sk_test_none",
    webhookSecrets: [],
    apiBaseUrl: "http://provider.test",
    timeoutMs,
    fetch: send,
  });
}

describe("the time of a call", () => {
  it("ends all its attempts", async () => {
    const wasOverAtStart: unknown[] = [];
    const payments = paymentsOver(async (_, { signal } = {}) => {
      wasOverAtStart.push(signal?.aborted);
      // The first connection breaks at the end of the time, and the second attempt meets it.
      await vi.waitUntil(() => signal?.aborted, { timeout: NO_WAIT_MS });
      throw new TypeError("The connection broke");
    }, SHORT_MS);
    await expect(payments.getCharge("ch_1")).rejects.toMatchObject({
      code: "unavailable",
      message: "The payment provider did not answer in time",
    });
    expect(wasOverAtStart).toEqual([false, true]);
  });

  it("does not become longer because the provider asks us to wait", async () => {
    const begun = Date.now();
    for (const status of [429, 500, 503]) {
      const payments = paymentsOver(async () =>
        Response.json(
          { error: { type: "api_error", message: "Later" } },
          { status, headers: { "retry-after": "60", "stripe-should-retry": "true" } },
        ),
      );
      await expect(payments.getCharge("ch_1")).rejects.toMatchObject({ name: "AppError" });
    }
    expect(Date.now() - begun).toBeLessThan(NO_WAIT_MS);
  });
});
