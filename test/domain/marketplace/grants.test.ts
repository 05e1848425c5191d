import { and, eq, sql, type SQL } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { agents, checkouts, libraryAgents, libraryBases } from "#src/db/schema/index.ts";
import { endGrant, grantAgent, grantBase } from "#src/domain/organisations/library/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";

const database = await fileDatabase();

type Values = Partial<typeof libraryAgents.$inferInsert>;
type Occasion = Parameters<typeof grantAgent>[1];

const LATER = new Date(Date.now() + 3_600_000);
const EARLIER = new Date(Date.now() - 3_600_000);

/** A team, an agent, and what the team's library has of it at first. */
async function newCase(had?: Values) {
  const { db } = database;
  const [{ id: userId, personalTeamId: teamId }, agent] = await Promise.all([
    newColleague(db),
    listAgent(db),
  ]);
  const which = and(eq(libraryAgents.teamId, teamId), eq(libraryAgents.agentId, agent.id));
  if (had) await db.insert(libraryAgents).values({ teamId, agentId: agent.id, purchaseType: "free", ...had });
  return {
    teamId,
    userId,
    agentId: agent.id,
    grant: async (occasion: Occasion, wish: Values = {}) => {
      const { purchaseType = "free", checkoutId = null, subscriptionId = null, expiresAt = null } = wish;
      const wishes = sql`SELECT ${teamId}::uuid, ${agent.id}::uuid, ${userId}::uuid, ${purchaseType}::text,
        ${checkoutId}::uuid, ${subscriptionId}::text, ${expiresAt?.toISOString() ?? null}::timestamptz`;
      const query: SQL = sql`WITH ${grantAgent(wishes, occasion)} SELECT is_new FROM granted_agent`;
      return (await db.execute<{ is_new: boolean }>(query)).rows;
    },
    row: async () => {
      const [row] = await db.select().from(libraryAgents).where(which);
      return row;
    },
    downloads: async () => {
      const [row] = await db.select().from(agents).where(eq(agents.id, agent.id));
      return row?.downloads;
    },
  };
}

async function newCheckout({ teamId, userId }: { teamId: string; userId: string }): Promise<string> {
  const id = newId();
  await database.db.insert(checkouts).values({
    id,
    teamId,
    userId,
    type: "agent_purchase",
    item: "item",
    customerId: "cus_1",
    amountCents: 500,
    currency: "usd",
    returnOrigin: "https://service.test",
    terms: { name: "item", metadata: {}, successPath: "/", cancelPath: "/" },
  });
  return id;
}

describe("a grant of an agent", () => {
  it("adds one row and one download, however many come at once", async () => {
    const { grant, row, downloads } = await newCase();
    const results = await Promise.all(Array.from({ length: 10 }, () => grant("taken")));
    expect(results.flat().filter(({ is_new }) => is_new)).toHaveLength(1);
    expect(await row()).toMatchObject({ purchaseType: "free", isActive: true, endedAt: null });
    expect(await downloads()).toBe(1);
  });

  const monthly: Values = { purchaseType: "monthly", subscriptionId: "sub_1" };
  it.each<[string, Values, Occasion, boolean]>([
    ["taken again after it ended", { endedAt: EARLIER }, "taken", true],
    ["taken again after it expired", { expiresAt: EARLIER }, "taken", true],
    ["taken while it counts", { purchaseType: "one_time" }, "taken", false],
    ["bought after it ended", { purchaseType: "one_time", endedAt: EARLIER }, "bought", true],
    ["renewed after it ended", { ...monthly, endedAt: EARLIER }, "renewed", false],
    ["renewed while it counts", { ...monthly, expiresAt: EARLIER }, "renewed", true],
    ["renewed by an older subscription while it is bought", { purchaseType: "one_time" }, "renewed", false],
    ["renewed by another one after it ended", { subscriptionId: "sub_0", endedAt: EARLIER }, "renewed", true],
  ])("%s: row %j, %s, is written: %s", async (_, had, occasion, isWritten) => {
    const { grant, row, downloads } = await newCase(had);
    const before = await row();
    const wish: Values = occasion === "renewed" ? { ...monthly, expiresAt: LATER } : {};
    expect(await grant(occasion, wish)).toEqual(isWritten ? [{ is_new: false }] : []);
    const written = { endedAt: null, expiresAt: wish.expiresAt ?? null };
    expect(await row()).toMatchObject(isWritten ? written : { ...before });
    expect(await downloads()).toBe(0);
  });

  it("keeps the team's switch while its subscription goes on, and switches on what is bought anew", async () => {
    const off = { ...monthly, isActive: false, expiresAt: LATER };
    const { grant, row, ...of } = await newCase(off);
    await grant("renewed", off);
    expect(await row()).toMatchObject({ isActive: false });
    await grant("bought", { purchaseType: "one_time", checkoutId: await newCheckout(of) });
    expect(await row()).toMatchObject({ isActive: true, purchaseType: "one_time", subscriptionId: null });
  });
});

const end = (checkoutId: string | null, subscriptionId: string | null) =>
  database.db.execute(sql`WITH ${endGrant(sql`SELECT ${checkoutId}::uuid, ${subscriptionId}::text`)}
    SELECT agent_id AS id FROM ended_agent UNION ALL SELECT base_id FROM ended_base`);

it("the end of a grant ends what its checkout or its subscription paid, and nothing else", async () => {
  const [bought, subscribed, other] = [
    await newCase(),
    await newCase({ purchaseType: "monthly", subscriptionId: `sub_${newId()}` }),
    await newCase({ purchaseType: "free" }),
  ];
  const checkoutId = await newCheckout(bought);
  await bought.grant("bought", { purchaseType: "one_time", checkoutId });
  const base = await listBase(database.db);
  const wish = sql`SELECT ${bought.teamId}::uuid, ${base.id}::uuid, ${bought.userId}::uuid, 'one_time', ${checkoutId}::uuid`;
  await database.db.execute(sql`WITH ${grantBase(wish, "bought")} SELECT * FROM granted_base`);

  expect((await end(checkoutId, null)).rows).toHaveLength(2);
  expect((await end(null, (await subscribed.row())?.subscriptionId ?? null)).rows).toHaveLength(1);
  expect((await end(null, null)).rows).toEqual([]);
  const [ofBase] = await database.db.select().from(libraryBases).where(eq(libraryBases.baseId, base.id));
  for (const row of [await bought.row(), await subscribed.row(), ofBase]) {
    expect(row?.endedAt).toBeInstanceOf(Date);
  }
  expect((await other.row())?.endedAt).toBeNull();
});
