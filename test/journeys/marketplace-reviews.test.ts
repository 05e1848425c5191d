import type { api } from "@agent-workspace/client";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { agents, users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

const ask = <T>(method: string, path: string, token?: string) =>
  service.call<T>(method, `/api/${path}`, { ...(token !== undefined && { token }) });

const at = (path: string) => ask<Record<string, unknown>>("GET", `creators/${path}`);

describe.concurrent.each(["agents", "bases"] as const)("reviews of %s", (kind) => {
  const newItem = () => (kind === "agents" ? listAgent(db) : listBase(db));
  const path = (id: string) => `marketplace/${kind}/${id}`;
  const newReader = async (id: string) => {
    const person = await service.signUp();
    await ask("POST", `${path(id)}/purchase`, person.token);
    return person;
  };
  const ratingOf = async (id: string) => {
    const { body } = await ask<api.MarketplaceAgentDetail>("GET", path(id));
    return [body.rating, body.reviews_count, body.reviews.length];
  };

  it("are one per person, and make the rating", async () => {
    const { id } = await newItem();
    const [first, second] = [await newReader(id), await newReader(id)];
    expect(await ratingOf(id)).toEqual([5, 0, 0]);
    expect(await ask("POST", `${path(id)}/review?rating=2&comment=slow`, first.token)).toMatchObject({
      status: 200,
      body: { rating: 2 },
    });
    await Promise.all(
      [1, 2, 3, 4, 4].map((n) => ask("POST", `${path(id)}/review?rating=${n}`, second.token)),
    );
    await ask("POST", `${path(id)}/review?rating=5`, second.token);
    expect(await ratingOf(id)).toEqual([3.5, 2, 2]);
    const page = await ask<api.Reviews>("GET", `${path(id)}/reviews?limit=1`, first.token);
    expect(page.body).toMatchObject({
      total: 2,
      has_more: true,
      reviews: [{ is_own_review: false, rating: 5 }],
      own_review: { rating: 2, comment: "slow" },
    });
    const unsigned = await ask<api.Reviews>("GET", `${path(id)}/reviews`);
    expect(unsigned.body).toMatchObject({ total: 2, own_review: null });
    const next = await ask<api.Reviews>("GET", `${path(id)}/reviews?limit=1&page=2`, first.token);
    expect(next.body).toMatchObject({
      has_more: false,
      reviews: [{ is_own_review: true, comment: "slow", user_id: first.id }],
    });
    expect(await ask("DELETE", `${path(id)}/review`, second.token)).toMatchObject({ status: 200 });
    expect(await ask("DELETE", `${path(id)}/review`, second.token)).toMatchObject({ status: 404 });
    expect(await ratingOf(id)).toEqual([2, 1, 1]);
  });

  it("come from teams that have it, with 1 to 5", async () => {
    const { id } = await newItem();
    const [reader, stranger] = [await newReader(id), await service.signUp()];
    expect(await ask("POST", `${path(id)}/review?rating=5`, stranger.token)).toMatchObject({ status: 403 });
    for (const query of ["rating=0", "rating=6", "rating=2.5"]) {
      expect(await ask("POST", `${path(id)}/review?${query}`, reader.token)).toMatchObject({ status: 422 });
    }
  });
});

it.concurrent("creators are people with something in the marketplace, and no others", async () => {
  const account = await service.signUp();
  expect(await at(account.id)).toMatchObject({ status: 404 });
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  const made = { createdBy: account.id, teamId: user?.defaultTeamId ?? "" };
  const agent = await listAgent(db, { ...made, downloads: 3, ratingSum: 7, reviewsCount: 2 });
  const hidden = await listAgent(db, { ...made, isPublished: false });
  await listBase(db, { createdBy: account.id, downloads: 4 });
  const stats = {
    agents_count: 1,
    bases_count: 1,
    total_downloads: 7,
    total_reviews: 2,
    average_rating: 3.5,
  };
  expect(await at(account.id)).toMatchObject({ status: 200, body: { id: account.id, ...stats } });
  expect((await at(account.id)).text).not.toContain(user?.email);
  expect((await at(`${account.id}/stats`)).body).toEqual(stats);
  expect(await at(`by-username/${user?.username.toUpperCase()}`)).toMatchObject({
    body: { id: account.id },
  });
  expect((await at(`${account.id}/agents`)).body).toMatchObject({
    total: 1,
    page: 1,
    limit: 20,
    pages: 1,
    agents: [{ id: agent.id }],
  });
  await db.update(agents).set({ isPublished: true }).where(eq(agents.id, hidden.id));
  expect((await at(`${account.id}/agents?limit=1`)).body).toMatchObject({ total: 2, pages: 2 });
});
