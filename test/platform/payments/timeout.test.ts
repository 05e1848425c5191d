import { afterEach, describe, expect, it, vi } from "vitest";
import { Variables } from "#src/configuration/index.ts";
import { createPayments } from "#src/platform/payments/index.ts";

/** Time within which a person has an answer, whatever the provider does. */
const PATIENCE_MS = 15_000;
/** Far below what the provider asks for here, and far above what the attempts take. */
const NO_WAIT_MS = 30_000;

afterEach(() => vi.restoreAllMocks());

/** The provider behind `fetch`, with the timeout of an installation that sets none. */
function paymentsOver(send: typeof fetch) {
  const { STRIPE_TIMEOUT_SECONDS: seconds } = Variables.pick({ STRIPE_TIMEOUT_SECONDS: true }).parse({});
  return createPayments({
    secretKey: "sk_test_none",
    webhookSecrets: [],
    apiBaseUrl: "http://provider.test",
    timeoutMs: seconds * 1000,
    fetch: send,
  });
}

describe("the time of a call", () => {
  it("is by default below 15 seconds, and ends all its attempts", async () => {
    const deadline = new AbortController();
    const clock = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
    let attempts = 0;
    const payments = paymentsOver(async (_, { signal } = {}) => {
      attempts += 1;
      // The first connection breaks just before the end, and the second attempt meets it.
      if (attempts === 1) {
        deadline.abort();
        throw new TypeError("The connection broke");
      }
      signal?.throwIfAborted();
      throw new Error("The attempt goes on although the time is over");
    });
    await expect(payments.getCharge("ch_1")).rejects.toMatchObject({
      code: "unavailable",
      message: "The payment provider did not answer in time",
    });
    expect(clock).toHaveBeenCalledTimes(1);
    expect(Math.max(...clock.mock.calls.flat())).toBeLessThan(PATIENCE_MS);
    expect(attempts).toBe(2);
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
