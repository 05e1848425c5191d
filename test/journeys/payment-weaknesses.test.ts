/**
 * How billing and marketplaces are known to fail, and the tests that hold this one to better. Paths are below `test/`; where
 * there is none, the test is below.
 *
 * | Weakness | Test |
 * | --- | --- |
 * | Removed members keep the team's billing and portal | below |
 * | Viewers cancel, renew, open the portal and buy | surface/access: every route by every role |
 * | A small payment unlocks any agent, repeatedly | attacks/small-payments |
 * | A toggle revives an agent that ended or expired | below |
 * | Prompts of closed and unpublished agents are public | attacks/closed-prompts; journeys/marketplace-catalogue |
 * | Any active agent runs in a chat by its id or name | attacks/sold-agents; below    |
 * | Prices match by a part of a model's name; a short balance forgets the rest | domain/metering/usage, credits |
 * | The webhook acknowledges what it could not handle | domain/billing/payment-events: is tried again ever later |
 * | Changes in the portal, failed payments and refunds do nothing | journeys/subscription |
 * | A verification before the event leaves no transaction and no payout | journeys/marketplace-sales |
 * | Inactive rows count as purchased; paid templates cannot be bought | below; journeys/marketplace-sales |
 * | Periods are guessed | domain/billing/subscriptions |
 * | Any spending of any active team buys a deployment slot | journeys/buying-credits |
 * | Clients send a fork or `usage/sync` in the body, the slot to another path | journeys/marketplace-authoring, buying-credits |
 * | What other teams paid for is deleted with its maker's team, by another route, or before they pay | below; journeys/marketplace-templates |
 * | A refunded payment is confirmed again | journeys/marketplace-sales |
 * | Malformed ids and dates are errors of the server | surface/bad-input |
 */
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { libraryAgents, tasks } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

interface Opened {
  session_id: string;
}

const post = <T = Opened>(token: string, path: string, json: object = {}) =>
  service.call<T>("POST", `/api/${path}`, { token, json });
const get = (token: string, path: string) =>
  service.call<Record<string, unknown>>("GET", `/api/${path}`, { token });

const PRICE = { pricingType: "one_time", priceCents: 500 } as const;

it.concurrent("a removed member sees and changes nothing of the team's billing any more", async () => {
  const { owner, join, asOwner } = await newTeamClient(service);
  const former = await join("admin");
  const { body: pack } = await post(former.token, "billing/credits/purchase", { package: "small" });
  await payer.pay(pack.session_id);
  expect((await get(former.token, "billing/portal")).status).toBe(200);
  expect(await asOwner("DELETE", `/members/${former.id}`)).toMatchObject({ status: 204 });
  // From then on the former member acts for a team of their own, which has bought nothing.
  expect(await post(former.token, "billing/verify-checkout", pack)).toMatchObject({ status: 403 });
  expect(await get(former.token, "billing/portal")).toMatchObject({ status: 400 });
  expect((await get(former.token, "billing/credits/history")).body).toEqual({ purchases: [] });
  expect((await get(former.token, "billing/subscription")).body).toMatchObject({
    stripe_customer_id: null,
    purchased_credits: 0,
  });
  expect(await post(owner.token, "billing/verify-checkout", pack)).toMatchObject({ status: 200 });
});

it.concurrent("an agent whose time is over is not revived by a toggle, does not run and does not count", async () => {
  const { owner, team } = await newTeamClient(service);
  const agent = await listAgent(db, { ...PRICE, pricingType: "monthly" });
  const row = { teamId: team.id, agentId: agent.id, userId: owner.id, purchaseType: "monthly" as const };
  await db.insert(libraryAgents).values({ ...row, endedAt: new Date(), isActive: false });
  await post(owner.token, `marketplace/agents/${agent.id}/toggle?enabled=true`);
  expect((await get(owner.token, `marketplace/agents/${agent.slug}`)).body).toMatchObject({
    is_purchased: false,
  });
  const { id: project_id } = await service.newProject(owner.token);
  for (const agent_id of [agent.id, agent.slug]) {
    const started = await post(owner.token, "chat/agent", { project_id, message: "Hello", agent_id });
    expect([403, 404, 422]).toContain(started.status);
  }
});

/** Has a new team buy an agent for five dollars, up to the payment. */
async function order(id: string) {
  const { owner, team } = await newTeamClient(service);
  const { body: opened } = await post(owner.token, `marketplace/agents/${id}/purchase`);
  const verify = () => post<object>(owner.token, "marketplace/verify-purchase", opened);
  return { owner, team, opened, verify };
}

describe.concurrent("what is sold", () => {
  it("is not deleted with its maker's team, from the moment that a page to pay is open", async () => {
    const seller = await newTeamClient(service);
    const agent = await listAgent(db, { ...PRICE, teamId: seller.team.id, createdBy: seller.owner.id });
    const { owner, opened, verify } = await order(agent.id);
    const refusal = {
      status: 409,
      body: { detail: expect.stringContaining("paid for agents of this team") },
    };
    expect(await seller.asOwner("DELETE", "")).toMatchObject(refusal);
    const path = `/api/marketplace/agents/${agent.id}`;
    await service.call("POST", `${path}/unpublish`, { token: seller.owner.token });
    const deleted = () => service.call("DELETE", path, { token: seller.owner.token });
    expect(await deleted()).toMatchObject({ status: 400, body: { detail: expect.stringContaining("paid") } });
    await payer.pay(opened.session_id);
    expect(await verify()).toMatchObject({ status: 200 });
    expect(await seller.asOwner("DELETE", "")).toMatchObject(refusal);
    expect(await deleted()).toMatchObject({ status: 400 });
    const { id: project_id } = await service.newProject(owner.token);
    const json = { project_id, message: "Hello", agent_id: agent.id };
    expect(await post(owner.token, "chat/agent", json)).toMatchObject({ status: 200 });
  });

  it("for free leaves the work of others as it is when its maker's team is deleted", async () => {
    const seller = await newTeamClient(service);
    const agent = await listAgent(db, { teamId: seller.team.id, createdBy: seller.owner.id });
    const { owner } = await newTeamClient(service);
    await post(owner.token, `marketplace/agents/${agent.id}/purchase`);
    const { id: project_id } = await service.newProject(owner.token);
    const json = { project_id, message: "Hello", agent_id: agent.id };
    const { body: run } = await post<{ task_id: string }>(owner.token, "chat/agent", json);
    expect((await seller.asOwner("DELETE", "")).status).toBe(204);
    expect(await db.$count(tasks, eq(tasks.id, run.task_id))).toBe(1);
    expect(await post(owner.token, "chat/agent", json)).toMatchObject({ status: 404 });
    expect((await get(owner.token, `marketplace/agents/${agent.id}`)).status).toBe(404);
  });
});
