import { Stripe } from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery, Reply } from "./support/receiver.ts";
import { clientOf, purchase, startTestStripe, type TestStripe } from "./support/stripe.ts";

/*
 * Subscriptions, refunds, transfers and the pages of a person who pays are used by test/domain/billing,
 * test/platform/payments and the journeys of payments.
 */

let account: TestStripe;
/** What the service answers. */
let reply: (delivery: Delivery) => Reply | Promise<Reply>;

beforeEach(async () => {
  reply = () => ({ status: 200 });
  account = await startTestStripe((delivery) => reply(delivery));
});
afterEach(() => account.close());

const email = "ada@team.test";
const verifier = Stripe.createSubtleCryptoProvider();

const verified = ({ body, headers }: Delivery, secret = account.server.webhookSecret) =>
  account.stripe.webhooks.constructEventAsync(
    body,
    String(headers["stripe-signature"]),
    secret,
    300,
    verifier,
  );

async function newCustomers(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth += 1) ids.push((await account.stripe.customers.create({})).id);
  return ids;
}

const newSession = async () =>
  account.stripe.checkout.sessions.create(purchase((await newCustomers(1))[0] ?? ""));

const arrived = (count: number) =>
  vi.waitFor(() => expect(account.deliveries.length).toBeGreaterThanOrEqual(count));

async function objectIds(): Promise<string[]> {
  const events = await Promise.all(account.deliveries.map((delivery) => verified(delivery)));
  return events.map(({ data }) => String(Reflect.get(data.object, "id")));
}

const customers = async () => (await account.list("objects/customer")).length;

describe("an event", () => {
  it("arrives signed over its bytes, in the version that the SDK pins", async () => {
    account.server.begin();
    const session = await newSession();
    await account.control(`sessions/${session.id}/pay`);
    await vi.waitFor(() => expect(account.types()).toContain("checkout.session.completed"));
    const delivery = account.deliveries[account.types().indexOf("checkout.session.completed")];
    if (!delivery) throw new Error("nothing arrived");
    expect(await verified(delivery)).toMatchObject({
      api_version: Stripe.API_VERSION,
      data: { object: { id: session.id, payment_status: "paid" } },
    });
    await expect(verified({ ...delivery, body: `${delivery.body} ` })).rejects.toThrow("No signatures found");
  });

  it("is sent again as the same bytes until it is acknowledged, also after a restart", async () => {
    let refused = 0;
    reply = () => ({ status: (refused += 1) < 3 ? 500 : 200 });
    account.server.begin();
    await newCustomers(1);
    await arrived(3);
    expect(new Set(account.deliveries.map(({ body }) => body)).size).toBe(1);

    reply = () => new Promise(() => {});
    const ids = await newCustomers(2);
    await arrived(5);
    await account.restart();
    reply = () => ({ status: 200 });
    ids.push(...(await newCustomers(1)));
    account.server.begin();
    await arrived(8);
    expect((await objectIds()).slice(5).toSorted()).toEqual(ids.toSorted());
  });

  it("overtakes others, comes twice, or is lost until the dashboard sends it again, on a test's order", async () => {
    await account.control("webhooks/shuffle");
    await account.control("webhooks/duplicate");
    const ids = await newCustomers(12);
    // All are due by now: one that was sent before the next is there could not be overtaken.
    account.server.begin();
    await arrived(24);
    const order = await objectIds();
    expect(order.toSorted()).toEqual([...ids, ...ids].toSorted());
    expect([...new Set(order)]).not.toEqual(ids);

    await account.restart();
    await account.control("webhooks/drop", { times: 1 });
    const [lost = ""] = await newCustomers(1);
    account.server.begin();
    const dropped = await vi.waitFor(async () => {
      const event = (await account.list("events")).find(({ object }) => object === lost);
      expect(event).toMatchObject({ outcome: "dropped" });
      return event;
    });
    await account.control(`events/${String(dropped?.["id"])}/send`);
    await vi.waitFor(async () => expect(await objectIds()).toContain(lost));
  });
});

describe("an idempotency key", () => {
  it("repeats the outcome for a day, also over a restart, and is refused for another call", async () => {
    const key = { idempotencyKey: "customer-t1" };
    const { id } = await account.stripe.customers.create({ email }, key);
    await account.restart();
    const again = await account.stripe.customers.create({ email }, key);
    expect(again.id).toBe(id);
    expect(new Headers(again.lastResponse.headers).get("idempotent-replayed")).toBe("true");
    const other = { statusCode: 400, type: "StripeIdempotencyError" };
    await expect(account.stripe.customers.create({}, key)).rejects.toMatchObject(other);
    await expect(account.stripe.accounts.create({}, key)).rejects.toMatchObject(other);
    account.pass(24 * 3_600);
    expect((await account.stripe.customers.create({ email }, key)).id).not.toBe(id);
    expect(await customers()).toBe(2);
  });
});

it("the checkout page leads to the service when it is paid, and no other site can press its buttons", async () => {
  const session = await newSession();
  const page = await (await fetch(session.url ?? "")).text();
  expect(page).toContain("5.00 USD");
  expect(page).toContain("Agent &#38; co");
  const forged = { method: "POST", headers: { origin: "http://evil.test" } };
  expect((await fetch(`${session.url}/pay`, forged)).status).toBe(403);
  expect((await fetch(`${account.server.url}/_standin/webhooks/hold`, forged)).status).toBe(403);
  expect(await account.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });

  const press = (at: string) => fetch(`${session.url}/${at}`, { method: "POST", redirect: "manual" });
  expect(await (await press("decline")).text()).toContain("Your card was declined.");
  const paid = await press("pay");
  expect(paid.headers.get("location")).toBe(`http://service.test/success?session_id=${session.id}`);
  expect(await account.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    payment_status: "paid",
  });
  expect((await press("pay")).headers.get("location")).toBe(`/checkout/${session.id}`);
  const dashboard = await (await fetch(account.server.url)).text();
  for (const shown of [session.id, "Send again", "Refund"]) expect(dashboard).toContain(shown);
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
      "a call that the service does not make",
      (client) => client.products.list(),
      { statusCode: 404, type: "StripeInvalidRequestError" },
    ],
  ])("says why: %s", (_, call, error) => expect(call(account.stripe)).rejects.toMatchObject(error));

  it("needs the key of the account", async () => {
    const stranger = clientOf({ url: account.server.url, secretKey: "sk_test_wrong" });
    await expect(stranger.customers.create({})).rejects.toMatchObject({ statusCode: 401 });
    expect(await customers()).toBe(0);
  });
});
