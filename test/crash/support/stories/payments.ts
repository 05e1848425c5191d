import { expect, vi } from "vitest";
import { readAddresses } from "#local/addresses.ts";
import type { Account } from "#test/support/api-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { PATIENCE } from "../patience.ts";
import type { Story, World } from "./story.ts";

/** The part of a price that the creator gets: the provider would refuse a second transfer of more than half. */
export const SHARE = 0.4;

/** Purchases of credits and agents. A program that is killed at each of its calls is in test/domain/billing/kills.test.ts. */
export async function payments({ api, random, dataDir, isLong }: World): Promise<Story> {
  const [creator, buyer] = [await api.signUp("creator"), await api.signUp("buyer")];
  const post = async <T>({ token }: Account, path: string, json: object = {}): Promise<T> => {
    const { status, body, text } = await api.call<T>("POST", `/api/${path}`, { token, json });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  };
  /** The provider is a part of the service, and keeps what it has. */
  const payer = () => payerOf({ stack: { stripeUrl: readAddresses(dataDir).stripeUrl } });
  const { url } = await post<{ url: string }>(creator, "billing/connect");
  expect((await fetch(`${url}/finish`, { method: "POST", redirect: "manual" })).status).toBe(303);

  const get = async <T>({ token }: Account, path: string) =>
    (await api.call<T>("GET", `/api/billing/${path}`, { token })).body;

  const fields = { description: "Reviews code", system_prompt: "Review." };
  let rounds = 0;
  let asked: Promise<unknown>[] = [];
  return {
    async beforeKill({ isSwept }) {
      if (!isSwept) return;
      rounds += 1;
      const agents = "marketplace/agents";
      const agent = await post<{ agent_id: string }>(creator, `${agents}/create`, {
        name: `Reviewer ${rounds}`,
        ...fields,
      });
      const at = `${agents}/${agent.agent_id}`;
      await post(creator, `${at}/publish`, { pricing_type: "one_time", price: 5 });
      const pages = [
        { verify: "billing/verify-checkout", open: "billing/credits/purchase", json: { package: "small" } },
        { verify: "marketplace/verify-purchase", open: `${at}/purchase`, json: {} },
      ];
      asked = [];
      for (const { verify, open, json } of pages) {
        const { session_id } = await post<{ session_id: string }>(buyer, open, json);
        // What is held comes to the service by its own sweep. It is no job that could be under way.
        await payer().control(`webhooks/${random.chance(isLong ? 0.15 : 0.5) ? "hold" : "release"}`);
        await payer().pay(session_id);
        // The buyer may come back when the service dies.
        if (random.chance(0.5)) asked.push(post(buyer, verify, { session_id }).catch(() => {}));
      }
    },
    async gone() {
      await Promise.all(asked);
    },
    async verify() {
      await payer().control("webhooks/release");
      await vi.waitFor(async () => {
        const { transactions } = await get<{ transactions: object[] }>(buyer, "transactions?limit=500");
        expect(transactions).toHaveLength(2 * rounds);
        expect(await get(creator, "earnings")).toMatchObject({
          pending_revenue_cents: 0,
          paid_revenue_cents: rounds * 500 * SHARE,
        });
      }, PATIENCE);
      expect(await get(buyer, "credits")).toMatchObject({ purchased_credits: 500 * rounds });
      const transfers = await payer().list<{ amount: number }>("objects/transfer");
      expect(transfers.map(({ amount }) => amount)).toEqual(Array(rounds).fill(500 * SHARE));
    },
  };
}
