import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";
import { type Payer, payerOf } from "#test/support/payer.ts";
import { type Relay, startRelay } from "#test/support/relay.ts";
import { startService, type TestService } from "#test/support/service.ts";

/** Seconds in which the provider must answer, also on a busy machine; its faults last for much longer. */
const TIMEOUT_SECONDS = 4;
/** No call may wait for a provider for so long. Far from both, so that a busy machine does not decide. */
const TOO_LONG_MS = 30_000;
const SLOW_MS = 90_000;
const PATIENCE = { timeout: WAIT_HANGS_MS, interval: 250 };

let service: TestService;
let payer: Payer;
let relay: Relay;
/** The first account of an installation is its administrator. */
let admin: Account;
let agentId: string;

beforeAll(async () => {
  const line = await startRelay();
  relay = line;
  service = await startService(
    { STRIPE_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) },
    {
      reroute: (variables) => ({
        ...variables,
        STRIPE_API_BASE_URL: line.before(variables["STRIPE_API_BASE_URL"] ?? ""),
      }),
    },
  );
  payer = payerOf(service);
  admin = await service.signUp("admin");
  const seller = await service.signUp("seller");
  const made = await post<{ agent_id: string }>(seller, "/api/marketplace/agents/create", {
    name: "Reviewer",
    description: "Reviews code",
    system_prompt: "Review.",
  });
  agentId = made.body.agent_id;
  const terms = { pricing_type: "one_time", price: 5 };
  const published = await post(seller, `/api/marketplace/agents/${agentId}/publish`, terms);
  if (published.status !== 200) throw new Error(`Not published: ${published.text}`);
});
beforeEach(() => heal());
afterAll(async () => {
  await service.close();
  await relay.close();
});

interface Opened {
  session_id: string;
}

const post = <T = Opened>({ token }: Account, path: string, json: object) =>
  service.call<T>("POST", path, { token, json });
const get = <T = unknown>({ token }: Account, path: string) => service.call<T>("GET", path, { token });

const buy = (by: Account) => post(by, "/api/billing/credits/purchase", { package: "small" });
const verify = (by: Account, session_id: string) =>
  post<object>(by, "/api/billing/verify-checkout", { session_id });

const ends = (fault: object) => async () =>
  payer.control("faults", { faults: [{ ...fault, times: 1_000_000 }] });

async function heal(): Promise<void> {
  await relay.restore();
  await payer.control("faults", { faults: [] });
}

/** All ways in which the provider fails. */
const FAULTS: readonly [string, () => Promise<void>][] = [
  ["limits us", ends({ status: 429 })],
  ["fails", ends({ status: 500 })],
  ["is in maintenance", ends({ status: 503 })],
  ["talks nonsense", ends({ garbage: true })],
  ["is slow", ends({ delay: SLOW_MS })],
  ["breaks off", ends({ lost: true })],
  ["stops within its answer", () => relay.stall()],
  ["is away", () => relay.refuse()],
];

interface Scene {
  /** Has not paid anything. */
  newcomer: Account;
  /** Has a customer at the provider, and a subscription. */
  subscriber: Account;
  /** Two paid sessions that are not settled. */
  pack: string;
  purchase: string;
}

/** Nobody but the service itself notices a payment in these tests until the events are released. */
async function newScene(): Promise<Scene> {
  await payer.control("webhooks/hold");
  const [newcomer, subscriber] = [await service.signUp("newcomer"), await service.signUp("subscriber")];
  const plan = await post(subscriber, "/api/billing/subscribe", { tier: "basic" });
  await payer.pay(plan.body.session_id);
  expect(await verify(subscriber, plan.body.session_id)).toMatchObject({ status: 200 });
  const pack = await buy(subscriber);
  const purchase = await post(subscriber, `/api/marketplace/agents/${agentId}/purchase`, {});
  for (const { body } of [pack, purchase]) await payer.pay(body.session_id);
  return { newcomer, subscriber, pack: pack.body.session_id, purchase: purchase.body.session_id };
}

/** Everything that asks the provider, by what the person wishes. */
function wishes({
  newcomer,
  subscriber,
  pack,
  purchase,
}: Scene): Record<string, () => Promise<ApiAnswer<unknown>>> {
  return {
    "to buy credits": () => buy(newcomer),
    "to buy other credits": () => post(subscriber, "/api/billing/credits/purchase", { package: "large" }),
    "to buy a slot": () => post(newcomer, "/api/projects/deployment/purchase-slot", {}),
    "to subscribe": () => post(newcomer, "/api/billing/subscribe", { tier: "pro" }),
    "to buy an agent": () => post(newcomer, "/api/marketplace/purchase", { agent_id: agentId }),
    "to be paid": () => post(newcomer, "/api/billing/connect", {}),
    "to see the portal": () => get(subscriber, "/api/billing/portal"),
    "to cancel": () => post(subscriber, "/api/billing/cancel", {}),
    "to have the credits": () => verify(subscriber, pack),
    "to have the agent": () => post(subscriber, "/api/marketplace/verify-purchase", { session_id: purchase }),
  };
}

/** Sessions at the provider that name this person. */
async function sessionsOf({ id }: Account) {
  const sessions = await payer.list<{ id: string; metadata: Record<string, string> }>(
    "objects/checkout.session",
  );
  return sessions.filter(({ metadata }) => metadata["user_id"] === id);
}

/** Ids of the team's customers at the provider. */
async function customersOf(by: Account) {
  const [session] = await sessionsOf(by);
  const customers = await payer.list<{ metadata: Record<string, string> }>("objects/customer");
  return customers.filter(({ metadata }) => metadata["team_id"] === session?.metadata["team_id"]);
}

describe("while the provider", () => {
  it.each(FAULTS)("%s, every wish is refused in a sentence; later each comes true, once", async (_, fail) => {
    const scene = await newScene();
    const all = Object.entries(wishes(scene));
    await fail();
    const begun = Date.now();
    const refused = await Promise.all(all.map(async ([wish, make]) => ({ wish, answer: await make() })));
    expect(Date.now() - begun).toBeLessThan(TOO_LONG_MS);
    for (const { wish, answer } of refused) {
      expect({ wish, isRefused: [502, 503].includes(answer.status), body: answer.body }).toEqual({
        wish,
        isRefused: true,
        // A sentence for people: no key, no id, no address.
        body: { detail: expect.stringMatching(/^The payment provider [a-z][a-z' .]+$/iu) },
      });
    }
    await heal();

    for (const [wish, make] of all) {
      await vi.waitFor(async () => {
        const { status, body } = await make();
        expect({ wish, status, body }).toMatchObject({ status: 200 });
      }, PATIENCE);
    }
    const { newcomer, subscriber } = scene;
    expect(await customersOf(newcomer)).toHaveLength(1);
    const sessions = await sessionsOf(newcomer);
    expect(sessions.map(({ metadata }) => metadata["type"]).toSorted()).toEqual([
      "agent_purchase",
      "credit_purchase",
      "deploy_purchase",
      "subscription",
    ]);
    expect((await get(subscriber, "/api/billing/credits")).body).toMatchObject({ purchased_credits: 500 });
    const { body: booked } = await get<{ transactions: object[] }>(subscriber, "/api/billing/transactions");
    expect(booked.transactions).toHaveLength(3);
    await payer.control("webhooks/release");
  });
});

it("twenty wishes to subscribe at once, at a slow provider, are one customer and one session", async () => {
  const buyer = await service.signUp("buyer");
  const subscribe = () => post(buyer, "/api/billing/subscribe", { tier: "pro" });
  const slow = ["POST customers", "POST checkout/sessions"].map((call) => ({ call, delay: 300 }));
  await payer.control("faults", { faults: slow });
  const answers = await Promise.all(Array.from({ length: 20 }, subscribe));
  // One that waited too long for another with the same key is told to try again.
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const { body: opened } = await subscribe();
  const shown = answers.filter(({ status }) => status === 200).map(({ body }) => body.session_id);
  expect(new Set([...shown, opened.session_id])).toEqual(new Set([opened.session_id]));
  expect(await sessionsOf(buyer)).toMatchObject([{ id: opened.session_id }]);
  expect(await customersOf(buyer)).toHaveLength(1);
});

describe("an event", () => {
  it("that comes while the provider is away is acknowledged, tried again, and settles", async () => {
    await payer.control("webhooks/release");
    const buyer = await service.signUp("buyer");
    const { body: opened } = await buy(buyer);
    await relay.refuse();
    await payer.pay(opened.session_id);
    const events = async () => {
      const path = "/api/admin/billing/events?page_size=100";
      const { body } = await get<{ events: Record<string, unknown>[] }>(admin, path);
      return body.events.filter((event) => event["object_id"] === opened.session_id);
    };
    await vi.waitFor(async () => {
      expect(await events()).toMatchObject([
        { status: "received", attempts: 1, error: "The payment provider did not answer in time" },
      ]);
    }, PATIENCE);
    const sent = await payer.list<{ object: string; outcome: string }>("events");
    expect(sent.find(({ object }) => object === opened.session_id)).toMatchObject({ outcome: "delivered" });
    expect((await get(buyer, "/api/billing/credits")).body).toMatchObject({ purchased_credits: 0 });
    await relay.restore();
    await vi.waitFor(async () => {
      expect(await events()).toMatchObject([{ status: "done", attempts: 2, error: null }]);
    }, PATIENCE);
    expect((await get(buyer, "/api/billing/credits")).body).toMatchObject({ purchased_credits: 500 });
  });
});
