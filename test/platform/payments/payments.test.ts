import { Stripe } from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPayments } from "#src/platform/payments/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "../../stand-ins/support/stripe.ts";
import { serve } from "#local/serve.ts";
import { HANGS_MS } from "#test/support/hangs.ts";

let account: TestStripe;
let payments: Payments;

beforeEach(async () => {
  account = await startTestStripe();
  payments = paymentsWith({});
});
afterEach(() => account.close());

function paymentsWith(options: { apiBaseUrl?: string; secretKey?: string }): Payments {
  return createPayments({
    secretKey: account.server.secretKey,
    webhookSecrets: ["whsec_next", account.server.webhookSecret],
    apiBaseUrl: account.server.url,
    timeoutMs: HANGS_MS,
    ...options,
  });
}

const metadata = { team_id: "t1", type: "agent_purchase" };

async function fault(fields: object): Promise<void> {
  await account.control("faults", { faults: [fields] });
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );
}

it("does not find what is not there", async () => {
  expect(await payments.getCheckoutSession("cs_test_none")).toBeUndefined();
  expect(await payments.getSubscription("sub_none")).toBeUndefined();
  expect(await payments.getInvoice("in_none")).toBeUndefined();
  expect(await payments.getPaymentIntent("pi_none")).toBeUndefined();
  expect(await payments.getCharge("ch_none")).toBeUndefined();
  expect(await payments.getDispute("du_none")).toBeUndefined();
  expect(await payments.getAccount("acct_none")).toBeUndefined();
});

describe("a failure of the provider", () => {
  it.each([
    ["a limit", { status: 429, times: 5 }, "unavailable"],
    ["its own failure", { status: 500, times: 5 }, "provider_failed"],
    ["a failure before the call", { status: 503, times: 5 }, "provider_failed"],
    ["garbage", { garbage: true, times: 5 }, "provider_failed"],
    ["broken connections", { lost: true, times: 5 }, "unavailable"],
  ])("is told in a sentence: %s", async (_, fields, code) => {
    await fault(fields);
    await expect(payments.createCustomer({ metadata }, "k")).rejects.toMatchObject({
      name: "AppError",
      code,
      message: expect.stringMatching(/^The payment provider [\w' .]+$/u),
    });
  });

  it("that passes is made up for by the retry, which does the call once", async () => {
    await fault({ lost: true });
    const id = await payments.createCustomer({ metadata }, "k");
    expect(await account.list("objects/customer")).toMatchObject([{ id }]);
    await fault({ status: 503 });
    expect(await payments.getAccount("acct_none")).toBeUndefined();
  });

  it("is one when it is away, refuses our key, or is something else", async () => {
    const away = paymentsWith({ apiBaseUrl: "http://127.0.0.1:9" });
    await expect(away.getCharge("ch_1")).rejects.toMatchObject({ code: "unavailable" });
    const stranger = paymentsWith({ secretKey: "sk_test_of_another_account" });
    await expect(stranger.getCharge("ch_1")).rejects.toMatchObject({ code: "unavailable" });
    for (const body of ["[]", "null", '{"id":7}', '{"object":"charge"}', '"x"']) {
      const other = await serve((_, response) => void response.end(body));
      const payingThere = paymentsWith({ apiBaseUrl: other.url });
      await expect(payingThere.getCharge("ch_1")).rejects.toMatchObject({ code: "provider_failed" });
      await other.close();
    }
  });

  it("follows no redirect with our key", async () => {
    const target = await serve((_, response) => void response.end("{}"));
    const other = await serve((_, response) => void response.writeHead(307, { location: target.url }).end());
    await expect(paymentsWith({ apiBaseUrl: other.url }).getCharge("ch_1")).rejects.toMatchObject({
      code: "provider_failed",
    });
    await Promise.all([other.close(), target.close()]);
  });

  it("keeps our key out of its cause", async () => {
    await fault({ status: 500, times: 5 });
    const failure: unknown = await payments.getCharge("ch_1").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    const { cause } = failure instanceof Error ? failure : {};
    expect(String(cause)).toContain("StripeAPIError");
    expect(JSON.stringify([String(cause), cause])).not.toContain(account.server.secretKey);
  });
});

describe("a webhook", () => {
  // Seconds decide, and none may pass between signing and checking.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  const payload = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "charge.refunded",
    created: 1_700_000_000,
    livemode: false,
    data: { object: { id: "ch_1", object: "charge" } },
  });

  async function signed(secret: string, { offset = 0, body = payload } = {}) {
    const timestamp = Math.floor(Date.now() / 1000) + offset;
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret,
      timestamp,
    });
    return { body: new TextEncoder().encode(body), signature };
  }

  it("is accepted with either secret, up to five minutes away", async () => {
    for (const secret of ["whsec_next", account.server.webhookSecret]) {
      for (const offset of [0, -299, 299]) {
        expect(await payments.verifyWebhook(await signed(secret, { offset }))).toEqual({
          id: "evt_1",
          type: "charge.refunded",
          created: new Date(1_700_000_000_000),
          isOwnMode: true,
          objectType: "charge",
          objectId: "ch_1",
        });
      }
    }
  });

  it("is refused when anything is changed", async () => {
    const { webhookSecret: secret } = account.server;
    const good = await signed(secret);
    const [time = "", signature = ""] = good.signature.split(",");
    const changed = [
      await signed("whsec_other"),
      await signed(secret, { offset: -301 }),
      await signed(secret, { offset: 301 }),
      await signed(secret, { offset: 86_400 }),
      await signed(secret, { body: "not json" }),
      { ...good, signature: null },
      { ...good, signature: "" },
      { ...good, signature: time },
      { ...good, signature },
      { ...good, signature: good.signature.replace("v1=", "v0=") },
      { ...good, signature: `${good.signature},t=1` },
      { ...good, signature: `t=1,${good.signature}` },
      { ...good, body: bytes(payload, " ") },
      { ...good, body: bytes([0xef, 0xbb, 0xbf], payload) },
      { ...good, body: bytes(payload, [0xff]) },
      { ...good, body: new Uint8Array() },
    ];
    for (const [at, delivery] of changed.entries()) {
      await expect(payments.verifyWebhook(delivery), `number ${at}`).rejects.toMatchObject({
        code: "unauthenticated",
      });
    }
  });

  it("tells whether it is of the key's mode", async () => {
    const live = paymentsWith({ secretKey: "rk_live_1" });
    const body = payload.replace('"livemode":false', '"livemode":true');
    const ofTests = await signed(account.server.webhookSecret);
    const ofLive = await signed(account.server.webhookSecret, { body });
    expect(await live.verifyWebhook(ofTests)).toMatchObject({ isOwnMode: false });
    expect(await live.verifyWebhook(ofLive)).toMatchObject({ isOwnMode: true });
    expect(await payments.verifyWebhook(ofLive)).toMatchObject({ isOwnMode: false });
  });
});
