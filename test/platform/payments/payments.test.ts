import { Stripe } from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPayments } from "#src/platform/payments/index.ts";
import type { NewCheckout, Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "../../local/support/stripe.ts";
import { serve } from "#local/serve.ts";

let account: TestStripe;
let payments: Payments;

beforeEach(async () => {
  account = await startTestStripe();
  payments = paymentsWith({});
});
afterEach(() => account.close());

function paymentsWith(options: { timeoutMs?: number; apiBaseUrl?: string; secretKey?: string }): Payments {
  return createPayments({
    secretKey: account.server.secretKey,
    webhookSecrets: ["whsec_next", account.server.webhookSecret],
    apiBaseUrl: account.server.url,
    timeoutMs: 10_000,
    ...options,
  });
}

const metadata = { team_id: "t1", type: "agent_purchase" };

function agent(customerId: string): NewCheckout {
  return {
    mode: "payment",
    customerId,
    item: { name: "Agent", amountCents: 500, currency: "usd" },
    reference: "row-1",
    metadata,
    successUrl: "http://service.test/success?session_id={CHECKOUT_SESSION_ID}",
    cancelUrl: "http://service.test/back",
  };
}

async function newSubscription() {
  const customerId = await payments.createCustomer({ metadata }, "customer");
  const wish: NewCheckout = { ...agent(customerId), mode: "subscription", item: { priceId: "price_basic" } };
  const session = await payments.createCheckoutSession(wish, "checkout");
  await account.control(`sessions/${session.id}/pay`);
  const paid = await payments.getCheckoutSession(session.id);
  const subscription = await payments.getSubscription(paid?.subscriptionId ?? "");
  if (!subscription) throw new Error("no subscription");
  return { customerId, session: paid, subscription };
}

async function fault(fields: object): Promise<void> {
  await account.control("faults", { faults: [fields] });
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );
}

describe("a purchase", () => {
  it("is one session for a key, with our row, our metadata, and what was paid", async () => {
    const customerId = await payments.createCustomer({ email: "ada@team.test", metadata }, "customer-t1");
    expect(await payments.createCustomer({ email: "ada@team.test", metadata }, "customer-t1")).toBe(
      customerId,
    );
    const session = await payments.createCheckoutSession(agent(customerId), "checkout-1");
    expect(session).toMatchObject({
      mode: "payment",
      status: "open",
      paymentStatus: "unpaid",
      amountCents: 500,
      currency: "usd",
      reference: "row-1",
      metadata,
      customerId,
    });
    expect((await payments.createCheckoutSession(agent(customerId), "checkout-1")).id).toBe(session.id);
    await account.control(`sessions/${session.id}/pay`);
    const paid = await payments.getCheckoutSession(session.id);
    expect(paid).toMatchObject({ status: "complete", paymentStatus: "paid", url: undefined });
    const intent = await payments.getPaymentIntent(paid?.paymentIntentId ?? "");
    expect(intent).toMatchObject({ status: "succeeded", amountReceivedCents: 500, customerId, metadata });
    await account.control(`charges/${intent?.chargeId}/refund`, { amount: 100 });
    expect(await payments.getCharge(intent?.chargeId ?? "")).toEqual({
      id: intent?.chargeId,
      status: "succeeded",
      amountCents: 500,
      refundedCents: 100,
      currency: "usd",
      isDisputed: false,
      paymentIntentId: intent?.id,
    });
    await account.control(`charges/${intent?.chargeId}/dispute`);
    const [dispute] = await account.list("objects/dispute");
    expect(await payments.getDispute(String(dispute?.["id"]))).toMatchObject({
      status: "needs_response",
      chargeId: intent?.chargeId,
      amountCents: 400,
    });
    expect(await payments.getDisputeOf(intent?.chargeId ?? "")).toEqual(
      await payments.getDispute(String(dispute?.["id"])),
    );
    expect(await payments.getDisputeOf("ch_none")).toBeUndefined();
  });

  it("of a seller's agent is shared once, when the seller may receive, and taken back", async () => {
    const customerId = await payments.createCustomer({ metadata }, "c");
    const session = await payments.createCheckoutSession(agent(customerId), "s");
    await account.control(`sessions/${session.id}/pay`);
    const paid = await payments.getCheckoutSession(session.id);
    const intent = await payments.getPaymentIntent(paid?.paymentIntentId ?? "");
    const seller = await payments.createAccount({ email: "seller@x.test", metadata }, "account");
    expect(seller).toMatchObject({ canReceive: false, detailsSubmitted: false });
    const urls = { refreshUrl: "http://service.test/again", returnUrl: "http://service.test/done" };
    const link = await payments.createAccountLink({ accountId: seller.id, ...urls }, "link");
    const share = {
      amountCents: 450,
      currency: "usd",
      accountId: seller.id,
      chargeId: intent?.chargeId ?? "",
      metadata,
    };
    expect(await payments.createTransfer(share, "early")).toBe("not_receiving");
    await fetch(`${link}/finish`, { method: "POST", redirect: "manual" });
    expect(await payments.getAccount(seller.id)).toMatchObject({ canReceive: true, detailsSubmitted: true });
    const transfer = await payments.createTransfer(share, "payout-1");
    expect(transfer).toMatchObject({ amountCents: 450, reversedCents: 0 });
    expect(await payments.createTransfer(share, "payout-1")).toEqual(transfer);
    expect(await account.list("objects/transfer")).toHaveLength(1);
    const transferId = typeof transfer === "string" ? "" : transfer.id;
    await payments.reverseTransfer({ transferId, amountCents: 50 }, "r1");
    await payments.reverseTransfer({ transferId }, "r2");
    expect(await account.list("objects/transfer")).toMatchObject([{ amount_reversed: 450, reversed: true }]);
  });
});

describe("a subscription", () => {
  it("has its price, period and invoice where this version of the API has them", async () => {
    const { customerId, session, subscription } = await newSubscription();
    expect(session).toMatchObject({ priceIds: ["price_basic"], invoiceId: subscription.latestInvoiceId });
    expect(subscription).toMatchObject({
      status: "active",
      customerId,
      metadata,
      item: { priceId: "price_basic", amountCents: 2_000, interval: "month" },
      cancelAt: undefined,
      endedAt: undefined,
    });
    expect(subscription.periodEnd.getTime()).toBeGreaterThan(subscription.periodStart.getTime());
    const invoice = await payments.getInvoice(subscription.latestInvoiceId ?? "");
    expect(invoice).toMatchObject({
      status: "paid",
      subscriptionId: subscription.id,
      customerId,
      metadata,
      billingReason: "subscription_create",
      amountPaidCents: 2_000,
      paidAt: expect.any(Date),
    });
    const intent = await payments.getPaymentIntent(invoice?.paymentIntentId ?? "");
    expect(intent).toMatchObject({ amountReceivedCents: 2_000 });
  });

  it("changes at once or not at all, ends with its period, resumes, and ends now", async () => {
    const { customerId, subscription } = await newSubscription();
    const price = { itemId: subscription.item.id, priceId: "price_pro" };
    await account.control(`customers/${customerId}/card`, { card: "fails" });
    expect(await payments.changeSubscription(subscription.id, { price }, "k1")).toBe("declined");
    expect(await payments.getSubscription(subscription.id)).toMatchObject({
      item: { priceId: "price_basic" },
    });
    await account.control(`customers/${customerId}/card`, { card: "works" });
    expect(await payments.changeSubscription(subscription.id, { price }, "k2")).toMatchObject({
      item: { priceId: "price_pro" },
      status: "active",
    });
    const ending = await payments.changeSubscription(subscription.id, { cancelAtPeriodEnd: true }, "k3");
    expect(ending).toMatchObject({ cancelAt: subscription.periodEnd });
    expect(
      await payments.changeSubscription(subscription.id, { cancelAtPeriodEnd: false }, "k4"),
    ).toMatchObject({ cancelAt: undefined });
    const returnUrl = "http://service.test/billing";
    const portal = await payments.createPortalSession({ customerId, returnUrl }, "portal");
    await fetch(`${portal}/cancel`, {
      method: "POST",
      body: new URLSearchParams({ subscription: subscription.id }),
      redirect: "manual",
    });
    expect(await payments.getSubscription(subscription.id)).toMatchObject({
      cancelAt: subscription.periodEnd,
    });
    expect(await payments.cancelSubscription(subscription.id)).toMatchObject({ status: "canceled" });
    expect(await payments.cancelSubscription(subscription.id)).toBeUndefined();
  });
});

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

  it("by slowness ends with the timeout, retry included", async () => {
    await fault({ delay: 60_000, times: 5 });
    const slow = paymentsWith({ timeoutMs: 600 });
    await expect(slow.getCharge("ch_1")).rejects.toMatchObject({ code: "unavailable" });
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
      await signed(secret, { offset: -302 }),
      await signed(secret, { offset: 302 }),
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
