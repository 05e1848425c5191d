import { afterAll, expect, it, vi } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { PATIENCE } from "#test/support/billing-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { startService } from "#test/support/service.ts";

// Not the shared service: its provider fails, and its events are held back.
const service = await startService();
const payer = payerOf(service);
afterAll(() => service.close());

const post = <T = { session_id: string }>({ token }: Account, path: string, json: object = {}) =>
  service.call<T>("POST", path, { token, json });
const get = <T = unknown>({ token }: Account, path: string) => service.call<T>("GET", path, { token });

const seller = await service.signUp("seller");
const made = await post<{ agent_id: string }>(seller, "/api/marketplace/agents/create", {
  name: "Reviewer",
  description: "Reviews code",
  system_prompt: "Review.",
});
const agentId = made.body.agent_id;
const terms = { pricing_type: "one_time", price: 5 };
const published = await post(seller, `/api/marketplace/agents/${agentId}/publish`, terms);
if (published.status !== 200) throw new Error(`Not published: ${published.text}`);

const buy = (by: Account, name = "small") => post(by, "/api/billing/credits/purchase", { package: name });
const verify = (by: Account, session_id: string) =>
  post<object>(by, "/api/billing/verify-checkout", { session_id });

const setFaults = (...faults: object[]) => payer.control("faults", { faults });

/** Everything that asks the provider, by what the person wishes. */
async function newInputs(): Promise<{
  newcomer: Account;
  subscriber: Account;
  wishes: Record<string, () => Promise<ApiAnswer<unknown>>>;
}> {
  // Nobody but the service itself notices a payment until the events are released.
  await payer.control("webhooks/hold");
  const [newcomer, subscriber] = [await service.signUp("newcomer"), await service.signUp("subscriber")];
  const plan = await post(subscriber, "/api/billing/subscribe", { tier: "basic" });
  await payer.pay(plan.body.session_id);
  expect(await verify(subscriber, plan.body.session_id)).toMatchObject({ status: 200 });
  const pack = await buy(subscriber);
  const purchase = await post(subscriber, `/api/marketplace/agents/${agentId}/purchase`);
  for (const { body } of [pack, purchase]) await payer.pay(body.session_id);
  const wishes = {
    "to buy credits": () => buy(newcomer),
    "to buy other credits": () => buy(subscriber, "large"),
    "to buy a slot": () => post(newcomer, "/api/projects/deployment/purchase-slot"),
    "to subscribe": () => post(newcomer, "/api/billing/subscribe", { tier: "pro" }),
    "to buy an agent": () => post(newcomer, "/api/marketplace/purchase", { agent_id: agentId }),
    "to be paid": () => post(newcomer, "/api/billing/connect"),
    "to see the portal": () => get(subscriber, "/api/billing/portal"),
    "to cancel": () => post(subscriber, "/api/billing/cancel"),
    "to have the credits": () => verify(subscriber, pack.body.session_id),
    "to have the agent": () => post(subscriber, "/api/marketplace/verify-purchase", purchase.body),
  };
  return { newcomer, subscriber, wishes };
}

it("while the provider fails, every wish is refused in a sentence; later each comes true, once", async () => {
  const { newcomer, subscriber, wishes } = await newInputs();
  const all = Object.entries(wishes);
  await setFaults({ status: 500, times: 1_000_000 });
  const refused = await Promise.all(all.map(async ([wish, make]) => ({ wish, answer: await make() })));
  for (const { wish, answer } of refused) {
    expect({ wish, isRefused: [502, 503].includes(answer.status), body: answer.body }).toEqual({
      wish,
      isRefused: true,
      // A sentence for people: no key, no id, no address.
      body: { detail: expect.stringMatching(/^The payment provider [a-z][a-z' .]+$/iu) },
    });
  }
  await setFaults();

  for (const [wish, make] of all) {
    await vi.waitFor(async () => {
      const { status, body } = await make();
      expect({ wish, status, body }).toMatchObject({ status: 200 });
    }, PATIENCE);
  }
  const sessions = await payer.list<{ metadata: Record<string, string> }>("objects/checkout.session");
  const own = sessions.filter(({ metadata }) => metadata["user_id"] === newcomer.id);
  expect(own.map(({ metadata }) => metadata["type"]).toSorted()).toEqual([
    "agent_purchase",
    "credit_purchase",
    "deploy_purchase",
    "subscription",
  ]);
  const customers = await payer.list<{ metadata: Record<string, string> }>("objects/customer");
  const team = own[0]?.metadata["team_id"];
  expect(customers.filter(({ metadata }) => metadata["team_id"] === team)).toHaveLength(1);
  expect((await get(subscriber, "/api/billing/credits")).body).toMatchObject({ purchased_credits: 500 });
  const { body: booked } = await get<{ transactions: object[] }>(subscriber, "/api/billing/transactions");
  expect(booked.transactions).toHaveLength(3);
});
