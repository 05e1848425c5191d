import { Stripe } from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { purchase, startTestStripe, type TestStripe } from "./support/stripe.ts";
import type { Delivery, Reply } from "./support/receiver.ts";

let account: TestStripe;
/** What the service answers. */
let reply: (delivery: Delivery) => Reply | Promise<Reply>;

beforeEach(async () => {
  reply = () => ({ status: 200 });
  account = await startTestStripe((delivery) => reply(delivery));
});
afterEach(() => account.close());

const verifier = Stripe.createSubtleCryptoProvider();

function verified({ body, headers }: Delivery, secret = account.server.webhookSecret): Promise<Stripe.Event> {
  return account.stripe.webhooks.constructEventAsync(
    body,
    String(headers["stripe-signature"]),
    secret,
    300,
    verifier,
  );
}

async function newCustomers(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth += 1) ids.push((await account.stripe.customers.create({})).id);
  return ids;
}

function arrived(count: number): Promise<void> {
  return vi.waitFor(() => expect(account.deliveries.length).toBeGreaterThanOrEqual(count));
}

async function objectIds(): Promise<string[]> {
  const events = await Promise.all(account.deliveries.map((delivery) => verified(delivery)));
  return events.map(({ data }) => String(Reflect.get(data.object, "id")));
}

describe("an event", () => {
  it("arrives signed over its bytes, in the version that the SDK pins", async () => {
    account.server.begin();
    const session = await account.stripe.checkout.sessions.create(purchase((await newCustomers(1))[0] ?? ""));
    await account.control(`sessions/${session.id}/pay`);
    await vi.waitFor(() => expect(account.types()).toContain("checkout.session.completed"));
    const delivery = account.deliveries[account.types().indexOf("checkout.session.completed")];
    if (!delivery) throw new Error("nothing arrived");
    expect(delivery).toMatchObject({ path: "/api/webhooks/stripe", method: "POST" });
    const event = await verified(delivery);
    expect(event).toMatchObject({
      object: "event",
      type: "checkout.session.completed",
      api_version: Stripe.API_VERSION,
      livemode: false,
      data: { object: { id: session.id, object: "checkout.session", payment_status: "paid" } },
    });
    await expect(verified({ ...delivery, body: `${delivery.body} ` })).rejects.toThrow("No signatures found");
    await expect(verified(delivery, "whsec_other")).rejects.toThrow("No signatures found");
  });

  it("is sent again until it is acknowledged, as the same bytes", async () => {
    let refused = 0;
    reply = () => ({ status: (refused += 1) < 3 ? 500 : 200 });
    account.server.begin();
    await newCustomers(1);
    await arrived(3);
    expect(new Set(account.deliveries.map(({ body }) => body)).size).toBe(1);
    await vi.waitFor(async () =>
      expect(await account.list("events")).toMatchObject([{ outcome: "delivered", attempts: 3 }]),
    );
  });
});

describe("a restart", () => {
  it("loses no event: what was never sent and what was under way arrives afterwards", async () => {
    reply = () => new Promise(() => {});
    account.server.begin();
    const ids = await newCustomers(3);
    await arrived(3);
    await account.restart();
    reply = () => ({ status: 200 });
    ids.push(...(await newCustomers(2)));
    account.server.begin();
    await arrived(8);
    expect((await objectIds()).slice(3).toSorted()).toEqual(ids.toSorted());
  });

  it("keeps the account: its keys, its objects and the outcomes of its calls", async () => {
    const { secretKey, webhookSecret } = account.server;
    const made = await account.stripe.customers.create({ email: "a@b.test" }, { idempotencyKey: "one" });
    await account.restart();
    expect(account.server).toMatchObject({ secretKey, webhookSecret });
    const again = await account.stripe.customers.create({ email: "a@b.test" }, { idempotencyKey: "one" });
    expect(again.id).toBe(made.id);
    expect(await account.list("objects/customer")).toHaveLength(1);
  });

  it("of the service is made up for at once", async () => {
    reply = () => ({ status: 503 });
    account.server.begin();
    await newCustomers(1);
    await vi.waitFor(async () => {
      const [event] = await account.list<{ attempts: number }>("events");
      expect(event?.attempts).toBeGreaterThan(0);
    });
    // By itself the next attempt would come in an hour.
    account.pass(-3_600);
    reply = () => ({ status: 200 });
    const before = account.deliveries.length;
    account.server.begin();
    await arrived(before + 1);
  });
});

describe("on a test's order", () => {
  it("events are held, also over a restart, and released", async () => {
    account.server.begin();
    await account.control("webhooks/hold");
    const ids = await newCustomers(3);
    await account.restart();
    account.server.begin();
    await account.list("events");
    expect(account.deliveries).toEqual([]);
    await account.control("webhooks/release");
    await arrived(3);
    expect((await objectIds()).toSorted()).toEqual(ids.toSorted());
  });

  it("events overtake one another", async () => {
    await account.control("webhooks/shuffle");
    const ids = await newCustomers(12);
    // All are due by now: one that was sent before the next is there could not be overtaken.
    account.server.begin();
    await arrived(12);
    const order = await objectIds();
    expect(order.toSorted()).toEqual(ids.toSorted());
    expect(order).not.toEqual(ids);
  });

  it("events come twice", async () => {
    account.server.begin();
    await account.control("webhooks/duplicate");
    await newCustomers(2);
    await arrived(4);
    const ids = await objectIds();
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  });

  it("events are lost, as many as it says, until the dashboard sends them again", async () => {
    account.server.begin();
    await account.control("webhooks/drop", { times: 2 });
    const [, lost = "", third] = await newCustomers(3);
    await arrived(1);
    expect(await objectIds()).toEqual([third]);
    const events = await vi.waitFor(async () => {
      const listed = await account.list("events");
      const outcomes = listed.map(({ outcome }) => String(outcome));
      expect(outcomes.toSorted()).toEqual(["delivered", "dropped", "dropped"]);
      return listed;
    });
    await account.control(`events/${String(events.find(({ object }) => object === lost)?.["id"])}/send`);
    await arrived(2);
    expect(await objectIds()).toEqual([third, lost]);
  });
});
