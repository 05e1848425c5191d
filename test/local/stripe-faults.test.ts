import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestStripe, type TestStripe } from "./support/stripe.ts";

let account: TestStripe;

beforeEach(async () => {
  account = await startTestStripe();
});
afterEach(() => account.close());

const email = "ada@team.test";

async function customers(): Promise<number> {
  return (await account.list("objects/customer")).length;
}

function isReplayed({ lastResponse }: Stripe.Response<object>): boolean {
  return new Headers(lastResponse.headers).get("idempotent-replayed") === "true";
}

async function fault(...faults: object[]): Promise<void> {
  expect((await account.control("faults", { faults })).status).toBe(200);
}

describe("an idempotency key", () => {
  it("repeats the outcome for a day, and says so", async () => {
    const { stripe } = account;
    const key = { idempotencyKey: "customer-t1" };
    const first = await stripe.customers.create({ email }, key);
    const again = await stripe.customers.create({ email }, key);
    expect(again.id).toBe(first.id);
    expect(isReplayed(again)).toBe(true);
    expect(isReplayed(first)).toBe(false);
    account.pass(24 * 3_600);
    expect((await stripe.customers.create({ email }, key)).id).not.toBe(first.id);
    expect(await customers()).toBe(2);
  });

  it("is refused for another call", async () => {
    const { stripe } = account;
    await stripe.customers.create({ email }, { idempotencyKey: "k" });
    const other = { statusCode: 400, type: "StripeIdempotencyError" };
    await expect(stripe.customers.create({}, { idempotencyKey: "k" })).rejects.toMatchObject(other);
    await expect(stripe.accounts.create({}, { idempotencyKey: "k" })).rejects.toMatchObject(other);
    expect(await customers()).toBe(1);
  });

  it("is in use while its call is under way", async () => {
    await fault({ call: "POST customers", delay: 3_000 });
    const create = (idempotencyKey: string) => account.stripe.customers.create({ email }, { idempotencyKey });
    // Whichever of the two comes first is the one that is under way.
    const calls = [create("k"), create("k")];
    const refusals = calls.map((made) =>
      made.then(
        () => Promise.reject(new Error("It was not refused")),
        (refusal: unknown) => refusal,
      ),
    );
    expect(await Promise.any(refusals)).toMatchObject({ statusCode: 409, code: "idempotency_key_in_use" });
    expect((await create("other")).email).toBe(email);
    expect((await Promise.any(calls)).email).toBe(email);
    expect(await customers()).toBe(2);
  });

  it("repeats a 500, and not a refusal of parameters, a limit or a 503", async () => {
    const { stripe } = account;
    await fault({ call: "POST customers", status: 500 });
    await expect(stripe.customers.create({ email }, { idempotencyKey: "a" })).rejects.toMatchObject({
      statusCode: 500,
    });
    await expect(stripe.customers.create({ email }, { idempotencyKey: "a" })).rejects.toMatchObject({
      statusCode: 500,
      headers: { "idempotent-replayed": "true" },
    });
    for (const status of [429, 503]) {
      await fault({ call: "POST customers", status });
      const key = { idempotencyKey: `limit-${status}` };
      await expect(stripe.customers.create({ email }, key)).rejects.toMatchObject({ statusCode: status });
      expect((await stripe.customers.create({ email }, key)).email).toBe(email);
    }
    const wrong = { email, nothing: "x" };
    await expect(stripe.customers.create(wrong, { idempotencyKey: "p" })).rejects.toThrow(
      "unknown parameter",
    );
    expect((await stripe.customers.create({ email }, { idempotencyKey: "p" })).email).toBe(email);
  });
});

describe("a fault", () => {
  it("is a call's, as often as it says", async () => {
    const { stripe } = account;
    await fault({ call: "GET invoices", status: 500, times: 2 });
    expect((await stripe.customers.create({ email })).email).toBe(email);
    for (const statusCode of [500, 500, 404]) {
      await expect(stripe.invoices.retrieve("in_1")).rejects.toMatchObject({ statusCode });
    }
  });

  it("of 500 has no effect, unless it says that it has", async () => {
    const { stripe } = account;
    await fault({ status: 500 });
    await expect(stripe.customers.create({ email })).rejects.toMatchObject({ statusCode: 500 });
    expect(await customers()).toBe(0);
    await fault({ status: 500, effect: true });
    await expect(stripe.customers.create({ email })).rejects.toMatchObject({ statusCode: 500 });
    expect(await customers()).toBe(1);
  });

  it.each([{ faults: [{}] }, { faults: [{ status: 200 }] }, { faults: [{ delay: -1 }] }, {}])(
    "that is none is refused: %j",
    async (fields) => {
      expect((await account.control("faults", fields)).status).toBe(400);
    },
  );
});
