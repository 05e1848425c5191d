import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { libraryAgents, libraryBases, subscriptions, teams, transactions } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

const FIVE_DOLLARS = { pricingType: "one_time", priceCents: 500 } as const;

/** What a team has by payments. */
async function holdings({ team: { id } }: TeamClient) {
  const [ofAgents, ofBases, [row], tiers, booked] = await Promise.all([
    db.select().from(libraryAgents).where(eq(libraryAgents.teamId, id)),
    db.select().from(libraryBases).where(eq(libraryBases.teamId, id)),
    db.select().from(teams).where(eq(teams.id, id)),
    db.$count(subscriptions, eq(subscriptions.teamId, id)),
    db.$count(transactions, eq(transactions.teamId, id)),
  ]);
  return {
    agents: ofAgents.map(({ agentId }) => agentId),
    bases: ofBases.map(({ baseId }) => baseId),
    credits: row?.purchasedCredits,
    slots: row?.deploySlots,
    tiers,
    booked,
  };
}

const NOTHING = { agents: [], bases: [], credits: 0, slots: 0, tiers: 0, booked: 0 };

const post = (token: string, path: string, json: object) =>
  service.call<{ session_id: string }>("POST", path, { token, json });

it("a session of five dollars unlocks what it was opened for, once, for its team, and nothing else", async () => {
  const [buyer, other] = await Promise.all([newTeamClient(service), newTeamClient(service)]);
  const [agent, dear, base] = await Promise.all([
    listAgent(db, FIVE_DOLLARS),
    listAgent(db, { pricingType: "one_time", priceCents: 99_900 }),
    listBase(db, FIVE_DOLLARS),
  ]);
  const { token } = buyer.owner;
  const opened = await post(token, "/api/marketplace/purchase", { agent_id: agent.id });
  // These were opened by the same team, and are never paid.
  const unpaid = await Promise.all([
    post(token, "/api/marketplace/purchase", { agent_id: dear.id }),
    post(token, "/api/marketplace/purchase", { base_id: base.id }),
    post(token, "/api/billing/credits/purchase", { package: "large" }),
    post(token, "/api/billing/subscribe", { tier: "ultra" }),
    post(token, "/api/projects/deployment/purchase-slot", {}),
  ]);
  const { session_id } = opened.body;
  await payer.pay(session_id);
  const claims: [who: string, path: string, fields: object, status: number][] = [
    [other.owner.token, "/api/marketplace/verify-purchase", {}, 403],
    [other.owner.token, "/api/marketplace/verify-purchase", { agent_slug: agent.slug }, 403],
    [other.owner.token, "/api/billing/verify-checkout", {}, 403],
    [token, "/api/marketplace/verify-purchase", { agent_slug: dear.slug }, 400],
    [token, "/api/marketplace/verify-purchase", { agent_slug: base.slug }, 400],
  ];
  for (const [who, path, fields, status] of claims) {
    const claimed = await post(who, path, { session_id, ...fields });
    expect([path, fields, claimed.status]).toEqual([path, fields, status]);
  }
  for (const { status, body } of unpaid) {
    expect(status).toBe(200);
    for (const path of ["/api/billing/verify-checkout", "/api/marketplace/verify-purchase"]) {
      const claimed = await post(token, path, { session_id: body.session_id });
      expect(JSON.stringify(claimed.body)).not.toContain('"status":"ok"');
      expect(JSON.stringify(claimed.body)).not.toContain('"success":true');
    }
  }
  for (const path of ["/api/billing/verify-checkout", "/api/marketplace/verify-purchase"]) {
    expect(await post(token, path, { session_id })).toMatchObject({ status: 200 });
  }
  expect(await holdings(buyer)).toEqual({ ...NOTHING, agents: [agent.id], booked: 1 });
  expect(await holdings(other)).toEqual(NOTHING);
});

it("a session of a package of credits buys no agent, and credits once", async () => {
  const buyer = await newTeamClient(service);
  const { token } = buyer.owner;
  const agent = await listAgent(db, FIVE_DOLLARS);
  const opened = await post(token, "/api/billing/credits/purchase", { package: "small" });
  const { session_id } = opened.body;
  await payer.pay(session_id);
  for (const fields of [{}, { agent_slug: agent.slug }]) {
    const claimed = await post(token, "/api/marketplace/verify-purchase", { session_id, ...fields });
    expect(claimed).toMatchObject({ status: 400 });
  }
  const verified = await post(token, "/api/billing/verify-checkout", { session_id });
  expect(verified).toMatchObject({ status: 200, body: { type: "credit_purchase" } });
  expect(await holdings(buyer)).toMatchObject({ agents: [], bases: [], credits: 500, booked: 1 });
});
