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
