import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  clientOf,
  expanded,
  plain,
  plan,
  purchase,
  startTestStripe,
  type TestStripe,
} from "./support/stripe.ts";

let account: TestStripe;
let stripe: Stripe;

beforeEach(async () => {
  account = await startTestStripe();
  stripe = account.stripe;
});
afterEach(() => account.close());

async function newCustomer() {
  return stripe.customers.create({ email: "ada@team.test", metadata: { team_id: "t1" } });
}

/** A subscription of the basic plan, paid. */
async function newSubscription() {
  const customer = await newCustomer();
  const session = await stripe.checkout.sessions.create(plan(customer.id));
  await account.control(`sessions/${session.id}/pay`);
  const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
  return { customer, subscription: await stripe.subscriptions.retrieve(plain(subscription)) };
}

/** A charge of 5 dollars. */
async function newCharge() {
  const session = await stripe.checkout.sessions.create(purchase((await newCustomer()).id));
  await account.control(`sessions/${session.id}/pay`);
  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ["payment_intent.latest_charge"],
  });
  const intent = expanded(paid.payment_intent);
  return { session: paid, intent, charge: expanded(intent.latest_charge) };
}

describe("a checkout session of one payment", () => {
  it("is open until it is paid, and then shows what was paid where expand asks for it", async () => {
    const customer = await newCustomer();
    const session = await stripe.checkout.sessions.create(purchase(customer.id));
    expect(session).toMatchObject({
      id: expect.stringMatching(/^cs_test_/u),
      status: "open",
      payment_status: "unpaid",
      amount_total: 500,
      currency: "usd",
      client_reference_id: "row-1",
      customer: customer.id,
      metadata: { type: "agent_purchase", team_id: "t1" },
      payment_intent: null,
      livemode: false,
    });
    expect(session.line_items).toBeUndefined();
    expect(session.url).toBe(`${account.server.url}/checkout/${session.id}`);

    await account.control(`sessions/${session.id}/pay`);
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ["line_items", "payment_intent.latest_charge", "customer"],
    });
    expect(paid).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      customer: { id: customer.id, email: "ada@team.test" },
      line_items: { data: [{ description: "Agent & co", amount_total: 500, quantity: 1 }] },
      payment_intent: {
        status: "succeeded",
        amount_received: 500,
        metadata: { team_id: "t1" },
        transfer_group: "group-1",
        latest_charge: { status: "succeeded", amount: 500, paid: true, refunded: false },
      },
    });
  });

  it("of a payment that is promised is complete but unpaid until the money comes, or does not", async () => {
    const customer = await newCustomer();
    const [good, bad] = [
      await stripe.checkout.sessions.create(purchase(customer.id)),
      await stripe.checkout.sessions.create(purchase(customer.id)),
    ];
    account.server.begin();
    for (const { id } of [good, bad]) await account.control(`sessions/${id}/pay`, { later: true });
    expect(await stripe.checkout.sessions.retrieve(good.id)).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
    });
    await account.control(`sessions/${good.id}/pay`);
    await account.control(`sessions/${bad.id}/fail`);
    expect(await stripe.checkout.sessions.retrieve(good.id)).toMatchObject({ payment_status: "paid" });
    expect(await stripe.checkout.sessions.retrieve(bad.id, { expand: ["payment_intent"] })).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
      payment_intent: { status: "requires_payment_method", last_payment_error: { code: "card_declined" } },
    });
    await vi.waitFor(() =>
      expect(account.types()).toEqual(
        expect.arrayContaining([
          "checkout.session.completed",
          "checkout.session.async_payment_succeeded",
          "checkout.session.async_payment_failed",
        ]),
      ),
    );
  });

  it("stays open after a declined card, and is paid by the next with the same payment", async () => {
    const session = await stripe.checkout.sessions.create(purchase((await newCustomer()).id));
    await account.control(`sessions/${session.id}/fail`);
    const declined = await stripe.checkout.sessions.retrieve(session.id);
    expect(declined).toMatchObject({ status: "open", payment_status: "unpaid" });
    await account.control(`sessions/${session.id}/pay`);
    const paid = await stripe.checkout.sessions.retrieve(session.id);
    expect(paid).toMatchObject({ status: "complete", payment_intent: declined.payment_intent });
    expect(await account.list("objects/charge")).toMatchObject([
      { status: "succeeded" },
      { status: "failed" },
    ]);
  });

  it("expires when it is told to, and when its time is over, and is then not paid", async () => {
    const customer = await newCustomer();
    const [told, old] = [
      await stripe.checkout.sessions.create(purchase(customer.id)),
      await stripe.checkout.sessions.create(purchase(customer.id)),
    ];
    await account.control(`sessions/${told.id}/expire`);
    account.pass(86_400);
    for (const { id } of [told, old]) {
      expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "expired", url: null });
      expect((await account.control(`sessions/${id}/pay`)).status).toBe(400);
    }
    const events = await account.list("events");
    expect(events.filter(({ type }) => type === "checkout.session.expired")).toHaveLength(2);
  });
});

describe("a subscription", () => {
  it("begins when its session is paid, with the period on its item and itself under the invoice's parent", async () => {
    const { subscription } = await newSubscription();
    const [item] = subscription.items.data;
    expect(subscription).toMatchObject({ status: "active", metadata: { tier: "basic" }, cancel_at: null });
    expect(item).toMatchObject({ price: { id: "price_basic", unit_amount: 2_000 }, quantity: 1 });
    expect(item?.current_period_end).toBeGreaterThan((item?.current_period_start ?? 0) + 27 * 86_400);
    expect(subscription).not.toHaveProperty("current_period_end");
    const invoice = await stripe.invoices.retrieve(plain(subscription.latest_invoice), {
      expand: ["payments.data.payment.payment_intent"],
    });
    expect(invoice).toMatchObject({
      status: "paid",
      amount_paid: 2_000,
      billing_reason: "subscription_create",
      parent: {
        type: "subscription_details",
        subscription_details: { subscription: subscription.id, metadata: { tier: "basic" } },
      },
      payments: { data: [{ status: "paid", payment: { payment_intent: { status: "succeeded" } } }] },
    });
    expect(invoice).not.toHaveProperty("subscription");
  });

  it("is paid again after its period", async () => {
    const { subscription } = await newSubscription();
    await account.control(`subscriptions/${subscription.id}/advance`);
    const next = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
    expect(next).toMatchObject({
      status: "active",
      latest_invoice: { billing_reason: "subscription_cycle", status: "paid", amount_paid: 2_000 },
    });
    const [before, after] = [subscription.items.data[0], next.items.data[0]];
    expect(after?.current_period_start).toBeGreaterThan(before?.current_period_start ?? Infinity);
  });

  it("is past due with a failing card, active when the card works again, and over when it never does", async () => {
    const { customer, subscription } = await newSubscription();
    await account.control(`customers/${customer.id}/card`, { card: "fails" });
    await account.control(`subscriptions/${subscription.id}/advance`);
    expect(
      await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }),
    ).toMatchObject({
      status: "past_due",
      latest_invoice: { status: "open", amount_paid: 0 },
    });
    const portal = await stripe.billingPortal.sessions.create({ customer: customer.id });
    await fetch(`${portal.url}/card`, { method: "POST", body: new URLSearchParams({ card: "works" }) });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: "active" });
    await account.control(`customers/${customer.id}/card`, { card: "fails" });
    await account.control(`subscriptions/${subscription.id}/advance`);
    await account.control(`subscriptions/${subscription.id}/advance`);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
      cancellation_details: { reason: "payment_failed" },
    });
  });

  it("ends with its period when that is wished, or at once", async () => {
    const { subscription } = await newSubscription();
    const cancelled = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect(cancelled).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: subscription.items.data[0]?.current_period_end,
    });
    expect(await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })).toMatchObject(
      {
        cancel_at: null,
        canceled_at: null,
      },
    );
    await stripe.subscriptions.update(subscription.id, { cancel_at: "min_period_end" });
    await account.control(`subscriptions/${subscription.id}/advance`);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
      ended_at: expect.any(Number),
    });
    const other = (await newSubscription()).subscription;
    expect(await stripe.subscriptions.cancel(other.id)).toMatchObject({ status: "canceled" });
    await expect(stripe.subscriptions.cancel(other.id)).rejects.toMatchObject({
      statusCode: 404,
      code: "resource_missing",
    });
  });

  it("changes its plan: the difference is paid at once, later or never", async () => {
    const { customer, subscription } = await newSubscription();
    const items = [{ id: subscription.items.data[0]?.id ?? "", price: "price_pro" }];
    const up = await stripe.subscriptions.update(subscription.id, {
      items,
      proration_behavior: "always_invoice",
      expand: ["latest_invoice"],
    });
    expect(up.items.data).toMatchObject([{ price: { id: "price_pro" } }]);
    expect(up.latest_invoice).toMatchObject({
      billing_reason: "subscription_update",
      status: "paid",
      lines: { data: [{ amount: -2_000 }, { amount: 4_900 }] },
      amount_paid: 2_900,
    });
    const [basic] = [[{ id: items[0]?.id ?? "", price: "price_basic" }]];
    const down = await stripe.subscriptions.update(subscription.id, { items: basic });
    expect(down.latest_invoice).toBe(expanded(up.latest_invoice).id);
    await account.control(`subscriptions/${subscription.id}/advance`);
    expect(
      await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }),
    ).toMatchObject({
      latest_invoice: { total: 2_000 - 2_900, amount_due: 0, status: "paid" },
    });
    await account.control(`customers/${customer.id}/card`, { card: "fails" });
    await expect(
      stripe.subscriptions.update(subscription.id, {
        items: [{ id: items[0]?.id ?? "", price: "price_pro_annual" }],
        payment_behavior: "error_if_incomplete",
      }),
    ).rejects.toMatchObject({ statusCode: 402, type: "StripeCardError" });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "active",
      items: { data: [{ price: { id: "price_basic" } }] },
    });
  });
});

describe("money that goes back or on", () => {
  it("is refunded in parts, until nothing is left", async () => {
    const { charge } = await newCharge();
    await account.control(`charges/${charge.id}/refund`, { amount: 200 });
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 200, refunded: false });
    await account.control(`charges/${charge.id}/refund`);
    expect(await stripe.charges.retrieve(charge.id, { expand: ["refunds"] })).toMatchObject({
      amount_refunded: 500,
      refunded: true,
      refunds: { data: [{ amount: 300 }, { amount: 200 }] },
    });
    expect((await account.control(`charges/${charge.id}/refund`)).status).toBe(400);
  });

  it("is disputed, and the dispute is closed", async () => {
    const { charge, intent } = await newCharge();
    await account.control(`charges/${charge.id}/dispute`);
    const [dispute] = await account.list("objects/dispute");
    expect(await stripe.disputes.retrieve(String(dispute?.["id"]))).toMatchObject({
      charge: charge.id,
      payment_intent: intent.id,
      status: "needs_response",
    });
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ disputed: true });
    const { charge: other } = await newCharge();
    expect((await stripe.disputes.list({ charge: charge.id, limit: 1 })).data).toMatchObject([
      { id: dispute?.["id"], charge: charge.id },
    ]);
    expect((await stripe.disputes.list({ charge: other.id })).data).toEqual([]);
    await account.control(`disputes/${String(dispute?.["id"])}/close`, { outcome: "won" });
    expect(await stripe.disputes.retrieve(String(dispute?.["id"]))).toMatchObject({ status: "won" });
  });

  it("is transferred to an account that may receive, once, and comes back", async () => {
    const { charge } = await newCharge();
    const seller = await stripe.accounts.create({
      type: "express",
      capabilities: { transfers: { requested: true } },
    });
    expect(seller).toMatchObject({ charges_enabled: false, capabilities: { transfers: "inactive" } });
    const share: Stripe.TransferCreateParams = {
      amount: 450,
      currency: "usd",
      destination: seller.id,
      source_transaction: charge.id,
    };
    await expect(stripe.transfers.create(share)).rejects.toMatchObject({
      code: "insufficient_capabilities_for_transfer",
    });
    const link = await stripe.accountLinks.create({
      account: seller.id,
      type: "account_onboarding",
      refresh_url: "http://service.test/again",
      return_url: "http://service.test/done",
    });
    const finished = await fetch(`${link.url}/finish`, { method: "POST", redirect: "manual" });
    expect(finished.headers.get("location")).toBe("http://service.test/done");
    expect(await stripe.accounts.retrieve(seller.id)).toMatchObject({
      capabilities: { transfers: "active" },
    });
    const transfer = await stripe.transfers.create(share);
    expect(transfer).toMatchObject({ amount: 450, destination: seller.id, transfer_group: "group-1" });
    await expect(stripe.transfers.create(share)).rejects.toThrow("greater than the amount");
    expect(await stripe.transfers.createReversal(transfer.id, { amount: 400 })).toMatchObject({
      amount: 400,
    });
    expect(await stripe.transfers.createReversal(transfer.id)).toMatchObject({ amount: 50 });
    await expect(stripe.transfers.createReversal(transfer.id)).rejects.toThrow("already fully reversed");
  });
});

const UNKNOWN: object = { wish: "x" };

describe("a refused call", () => {
  it.each<[string, (client: Stripe) => Promise<unknown>, object]>([
    [
      "an unknown object",
      (client) => client.subscriptions.retrieve("sub_none"),
      { statusCode: 404, code: "resource_missing", type: "StripeInvalidRequestError" },
    ],
    [
      "an unknown object in a parameter",
      (client) => client.checkout.sessions.create(purchase("cus_none")),
      { statusCode: 400, code: "resource_missing", param: "customer" },
    ],
    [
      "a missing parameter",
      (client) => client.rawRequest("POST", "/v1/transfers", { amount: 1, currency: "usd" }),
      { statusCode: 400, code: "parameter_missing", param: "destination" },
    ],
    [
      "an unknown parameter",
      (client) => client.customers.create({ email: "a@b.test", ...UNKNOWN }),
      { statusCode: 400, code: "parameter_unknown", param: "wish" },
    ],
    [
      "a parameter of another kind",
      (client) => client.transfers.create({ amount: 1.5, currency: "usd", destination: "acct_1" }),
      { statusCode: 400, param: "amount" },
    ],
    [
      "a property that is none",
      (client) => client.customers.create({ expand: ["nothing"] }),
      { statusCode: 400, param: "expand" },
    ],
    [
      "a call that the service does not make",
      (client) => client.products.list(),
      { statusCode: 404, type: "StripeInvalidRequestError" },
    ],
  ])("says why: %s", async (_, call, error) => {
    await expect(call(stripe)).rejects.toMatchObject(error);
  });

  it("needs the key of the account", async () => {
    const stranger = clientOf({ url: account.server.url, secretKey: "sk_test_wrong" });
    await expect(stranger.customers.create({})).rejects.toMatchObject({ statusCode: 401 });
    expect(await account.list("objects/customer")).toEqual([]);
  });
});

describe("metadata", () => {
  it("is merged; an empty value deletes its key", async () => {
    const { subscription } = await newSubscription();
    const changed = await stripe.subscriptions.update(subscription.id, { metadata: { tier: "", more: "1" } });
    expect(changed.metadata).toEqual({ more: "1" });
    expect((await stripe.subscriptions.update(subscription.id, { metadata: "" })).metadata).toEqual({});
  });
});
