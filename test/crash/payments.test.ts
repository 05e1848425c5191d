import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, it, vi } from "vitest";
import { readAddresses } from "#local/addresses.ts";
import { type Account, type ApiClient, apiClient } from "#test/support/api-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { seeded } from "#test/support/random.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";
import { type Life, PaymentTraffic } from "./support/payment-traffic.ts";
import { passHour, type PaymentRemains, readPayments } from "./support/stored-payments.ts";

/** `CRASH_KILLS=20` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. A program that is killed at each of its calls is in test/domain/billing/kills.test.ts. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 1);
const SEED = inject("fuzzSeed");
const BUYERS = 3;
/** Agents for sale, each of which a team buys once. */
const AGENTS_PER_KILL = 3;
/** The part of a price that the creator gets. Small: the provider would refuse a second transfer of more than half. */
const SHARE = 0.4;

const service = mortalService(() => ({ CREATOR_REVENUE_SHARE: String(SHARE) }));
const { dataDir } = service;

/** The service that has just started, and its provider. */
function lifeAt(url: string, over: AbortSignal): Life {
  const { stripeUrl } = readAddresses(dataDir);
  return { api: apiClient(url), payer: payerOf({ stack: { stripeUrl } }), over };
}

/** An agent that its creator sells, for so many dollars. */
async function sell(api: ApiClient, { token }: Account, name: string, price: number): Promise<string> {
  const post = (path: string, json: object) =>
    api.call<{ agent_id: string }>("POST", `/api/marketplace/agents/${path}`, { token, json });
  const made = await post("create", { name, description: "Reviews code", system_prompt: "Review." });
  const published = await post(`${made.body.agent_id}/publish`, { pricing_type: "one_time", price });
  if (published.status !== 200) throw new Error(`Not published: ${published.text}`);
  return made.body.agent_id;
}

/** All that is paid is booked, and all that is booked is shared. */
async function settled(
  { api, payer }: Life,
  admin: Account,
  people: Record<"buyers" | "creators", Account[]>,
) {
  const read = async <T>({ token }: Account, path: string) => {
    const { body } = await api.call<T>("GET", path, { token });
    return body;
  };
  await vi.waitFor(async () => {
    const events = await payer.list<{ outcome: string }>("events");
    expect(
      events.filter(({ outcome }) => outcome === "waiting"),
      "events that the provider has not delivered",
    ).toEqual([]);
    for (const status of ["received", "failed"]) {
      const open = await read(admin, `/api/admin/billing/events?status=${status}`);
      expect(open, `events that are ${status}`).toMatchObject({ total: 0 });
    }
    const sessions = await payer.list("objects/checkout.session");
    let booked = 0;
    for (const buyer of people.buyers) {
      const path = "/api/billing/transactions?limit=500";
      booked += (await read<{ transactions: object[] }>(buyer, path)).transactions.length;
    }
    expect(booked, "payments that are booked").toBe(
      sessions.filter((each) => each["payment_status"] === "paid").length,
    );
  }, PATIENCE);
  // Their event releases the shares that waited.
  for (const { id } of await payer.list<{ id: string }>("objects/account")) {
    await payer.control(`accounts/${id}/onboard`);
  }
  await vi.waitFor(async () => {
    for (const creator of people.creators) {
      const earnings = await read(creator, "/api/billing/earnings");
      expect(earnings, `shares of ${creator.username}`).toMatchObject({ pending_revenue_cents: 0 });
    }
  }, PATIENCE);
}

it(
  `counts each paid session once and sends each share once when it is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const random = seeded(SEED);
    const url = await service.start();
    const api = apiClient(url);
    const admin = await api.signUp("admin");
    const creators = [await api.signUp("creator"), await api.signUp("creator")];
    const buyers: Account[] = [];
    while (buyers.length < BUYERS) buyers.push(await api.signUp("buyer"));
    const agents: string[] = [];
    for (const creator of creators) {
      for (let index = 1; index <= (KILLS * AGENTS_PER_KILL) / creators.length; index += 1) {
        agents.push(await sell(api, creator, `Reviewer ${index}`, random.whole(1, 9) + 0.99));
      }
    }
    const lastAgent = await sell(api, creators[0] ?? admin, "Last", 5);
    const traffic = new PaymentTraffic({ buyers, creators }, agents, seeded(SEED + 1));

    for (let kills = 1; kills <= KILLS; kills += 1) {
      const over = new AbortController();
      const going = traffic.run(lifeAt(url, over.signal));
      await pause(random.between(700, 4_500));
      const victim = random.chance(0.25) ? "node" : "everything";
      over.abort();
      await service.kill(victim);
      await going;
      if (random.chance(0.5)) await passHour(dataDir);
      await service.start();
    }
    const { signal } = new AbortController();
    await traffic.finish(lifeAt(url, signal), lastAgent);
    await service.kill();
    await passHour(dataDir);
    await service.start();
    await settled(lifeAt(url, signal), admin, { buyers, creators });
    await service.kill();

    const remains = await readPayments(dataDir);
    judgeSessions(remains);
    judgeShares(remains);
    expect(traffic.surprises).toEqual([]);
    const { sessions, transactions, transfers } = remains;
    process.stderr.write(
      `${KILLS} kills, seed ${SEED}: ${transactions.length} of ${sessions.length} sessions paid, ${transfers.length} shares sent\n`,
    );
  },
  limitFor(KILLS),
);

/** Every paid session is one paid checkout, one transaction, and its credits or its agent once; no other has an effect. */
function judgeSessions({
  sessions,
  checkouts,
  transactions,
  teams,
  library,
  customersOf,
}: PaymentRemains): void {
  const paid = sessions.filter(({ isPaid }) => isPaid);
  expect(paid.length).toBeGreaterThan(0);
  expect(paid.length).toBeLessThan(sessions.length);
  const bought = paid.map((session) => {
    const rows = checkouts.filter(({ sessionId }) => sessionId === session.id);
    expect(rows).toMatchObject([{ id: session.reference, status: "paid" }]);
    const [row] = rows;
    if (!row) throw new Error("There is no checkout");
    expect(transactions.filter(({ checkoutId }) => checkoutId === row.id)).toMatchObject([
      { amountCents: row.amountCents, paymentIntentId: session.paymentIntentId },
    ]);
    return row;
  });
  expect(checkouts.filter(({ status }) => status === "paid")).toHaveLength(paid.length);
  expect(transactions).toHaveLength(paid.length);
  for (const { id, credits } of teams) {
    const own = bought.filter(({ teamId }) => teamId === id);
    expect(credits).toBe(own.reduce((sum, each) => sum + each.credits, 0));
  }
  const agents = bought.filter(({ type }) => type === "agent_purchase");
  expect(library.toSorted()).toEqual([
    ...new Set(agents.map(({ teamId, item }) => `${teamId} ${item}`).toSorted()),
  ]);
  expect(customersOf.toSorted()).toEqual(teams.map(({ id }) => id).toSorted());
}

/** Every sale has one share, and that one transfer. */
function judgeShares({ transactions, checkouts, payouts, transfers, accountsOf }: PaymentRemains): void {
  const sales = transactions.filter(
    ({ checkoutId }) => checkouts.find(({ id }) => id === checkoutId)?.type === "agent_purchase",
  );
  expect(sales.length).toBeGreaterThan(0);
  for (const { id, amountCents, creatorCents } of sales) {
    expect(creatorCents).toBe(Math.floor(amountCents * SHARE));
    const shares = payouts.filter(({ transactionId }) => transactionId === id);
    const sent = transfers.filter(({ transactionId }) => transactionId === id);
    expect(shares).toMatchObject([{ amountCents: creatorCents, status: "paid", transferId: sent[0]?.id }]);
    expect(sent).toMatchObject([{ amountCents: creatorCents, accountId: shares[0]?.accountId }]);
  }
  expect(payouts).toHaveLength(sales.length);
  expect(transfers).toHaveLength(sales.length);
  expect(new Set(accountsOf).size).toBe(accountsOf.length);
}
