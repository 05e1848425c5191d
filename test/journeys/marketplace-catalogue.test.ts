import { describe, expect, it } from "vitest";
import { newId } from "#src/lib/ids.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

interface Listed {
  id: string;
  name: string;
  [field: string]: unknown;
}
interface Page {
  agents: Listed[];
  bases: Listed[];
  total: number;
  has_more: boolean;
}

const get = <T = Page>(path: string, token?: string) =>
  service.call<T>("GET", `/api/marketplace/${path}`, { ...(token !== undefined && { token }) });

/** Agents of a category of their own, so that no other test's are in their lists. */
async function newCategory() {
  const category = `category-${newId()}`;
  const values = [
    { name: "Alpha", downloads: 3, priceCents: 500, pricingType: "one_time", ratingSum: 4, reviewsCount: 2 },
    { name: "beta", downloads: 9, tags: ["Search me"], isFeatured: false },
    { name: "Gamma", downloads: 1, isFeatured: true, description: "100% sure_thing" },
    { name: "Delta", downloads: 9, priceCents: 300, pricingType: "monthly", ratingSum: 5, reviewsCount: 1 },
  ] as const;
  for (const [place, value] of values.entries()) {
    const publishedAt = new Date(Date.UTC(2026, 0, 1 + place));
    await listAgent(db, { category, publishedAt, ...value, tags: "tags" in value ? [...value.tags] : [] });
  }
  return category;
}

const namesOf = ({ body }: { body: Page }) => body.agents.map(({ name }) => name);

it("has the service's own agents and templates, and in development two agents that cost money", async () => {
  for (const slug of ["workspace-agent", "librarian", "service-integrator", "agent-builder"]) {
    const { body } = await get(`agents/${slug}`);
    expect(body).toMatchObject({ slug, pricing_type: "free", creator_type: "official" });
  }
  for (const [slug, pricing_type, price] of [
    ["demo-paid", "one_time", 5],
    ["demo-monthly", "monthly", 3],
  ] as const) {
    expect((await get(`agents/${slug}`)).body).toMatchObject({ pricing_type, price, system_prompt: null });
  }
  expect((await get("bases/vite-react")).body).toMatchObject({ creator_type: "official", price: 0 });
});

describe.concurrent("the list of agents", () => {
  it("is sorted and filtered by what the query asks for", async () => {
    const category = await newCategory();
    for (const [query, names] of [
      ["sort=featured", ["Gamma", "beta", "Delta", "Alpha"]],
      ["sort=popular", ["beta", "Delta", "Alpha", "Gamma"]],
      ["sort=newest", ["Delta", "Gamma", "beta", "Alpha"]],
      ["sort=name", ["Alpha", "beta", "Delta", "Gamma"]],
      ["sort=rating", ["Delta", "beta", "Gamma", "Alpha"]],
      ["sort=price_asc", ["beta", "Gamma", "Delta", "Alpha"]],
      ["sort=price_desc", ["Alpha", "Delta", "beta", "Gamma"]],
      ["sort=name&search=ALPH", ["Alpha"]],
      ["sort=name&search=search%20ME", ["beta"]],
      ["sort=name&search=%25%20sure_", ["Gamma"]],
      ["sort=name&search=sureXthing", []],
      ["sort=name&pricing_type=free", ["beta", "Gamma"]],
      ["sort=name&pricing_type=monthly", ["Delta"]],
      ["sort=name&source=official", ["Alpha", "beta", "Delta", "Gamma"]],
      ["sort=name&source=local", []],
    ] as const) {
      expect([query, namesOf(await get(`agents?category=${category}&${query}`))]).toEqual([query, names]);
    }
  });

  it("comes in pages, of which each agent is on exactly one", async () => {
    const category = `category-${newId()}`;
    await Promise.all(Array.from({ length: 7 }, () => listAgent(db, { category, name: "Same" })));
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => get(`agents?category=${category}&page=${page}&limit=3`)),
    );
    expect(pages.map(({ body: { agents, has_more } }) => [agents.length, has_more])).toEqual([
      [3, true],
      [3, true],
      [1, false],
      [0, false],
    ]);
    expect(pages[0]?.body).toMatchObject({ total: 7, page: 1, limit: 3, total_pages: 3 });
    expect(new Set(pages.flatMap(({ body }) => body.agents.map(({ id }) => id))).size).toBe(7);
  });

  it("says what the team of a person has, while it may use it", async () => {
    const { token } = await service.signUp();
    const category = `category-${newId()}`;
    const { id } = await listAgent(db, { category });
    const isPurchased = async (path: string, by?: string) =>
      (await get(`${path}agents?category=${category}`, by)).body.agents[0]?.["is_purchased"];
    const post = (path: string) => service.call("POST", `/api/marketplace/agents/${id}/${path}`, { token });
    expect(await isPurchased("", token)).toBe(false);
    await post("purchase");
    expect([await isPurchased("", token), await isPurchased("public/", token)]).toEqual([true, true]);
    expect([await isPurchased(""), await isPurchased("", "no token")]).toEqual([false, false]);
    await post("toggle?enabled=false");
    expect(await isPurchased("", token)).toBe(false);
  });

  it("has listed agents, and none of the source", async () => {
    const category = `category-${newId()}`;
    const seller = await service.signUp();
    const made = await service.call<Listed>("POST", "/api/agents", {
      token: seller.token,
      json: { name: "Hidden", system_prompt: "canary" },
    });
    const { id } = await listAgent(db, { category, systemPrompt: "canary", icon: "star" });
    const { body, text } = await get(`agents?category=${category}`);
    expect(text).not.toContain("canary");
    expect(body.agents).toMatchObject([
      { id, slug: `listed-${id}`, item_type: "agent", pricing_type: "free", price: 0, icon: "star" },
    ]);
    expect(await get(`agents/${made.body.id}`)).toMatchObject({ status: 404 });
    expect(await get(`agents/${made.body.id}`, seller.token)).toMatchObject({
      status: 200,
      body: { system_prompt: "canary" },
    });
  });
});

describe.concurrent("the detail of an agent", () => {
  it.each([
    ["open and free", {}, "canary"],
    ["closed", { sourceType: "closed" }, null],
    ["open, but not free", { pricingType: "one_time", priceCents: 500 }, null],
  ] as const)("that is %s: %j shows visitors its prompt as %j", async (_, values, shown) => {
    const agent = await listAgent(db, { systemPrompt: "canary", tools: ["grep"], ...values });
    const answer = await get<Listed>(`agents/${agent.slug}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: agent.id, system_prompt: shown, tools: shown && ["grep"], reviews: [] },
    });
    expect(answer.text.includes("canary")).toBe(shown !== null);
  });

  it("names related agents, the closest first, and no other", async () => {
    const category = `category-${newId()}`;
    const [tag, other] = [newId(), newId()];
    const agent = await listAgent(db, { category, tags: [tag, other] });
    const close = await listAgent(db, { tags: [tag, other] });
    const near = await listAgent(db, { category, tags: [tag] });
    const far = await listAgent(db, { category });
    await listAgent(db, { category, isPublished: false, teamId: null, slug: `hidden-${newId()}` });
    const related = async (limit: number) =>
      (await get<{ related_agents: Listed[] }>(`agents/${agent.slug}/related?limit=${limit}`)).body
        .related_agents;
    expect((await related(12)).map(({ id }) => id)).toEqual([close.id, near.id, far.id]);
    expect(await related(1)).toHaveLength(1);
  });
});

it.concurrent("templates are listed when they are public, with their detail and versions", async () => {
  const category = `category-${newId()}`;
  const owner = await service.signUp();
  const values = { category, createdBy: owner.id };
  const base = await listBase(db, { ...values, totalBytes: 42, techStack: ["vite"] });
  const secret = await listBase(db, { ...values, visibility: "private" });
  const { body } = await get(`public/bases?category=${category}`);
  expect(body).toMatchObject({
    total: 1,
    bases: [{ id: base.id, tech_stack: ["vite"], is_forkable: false }],
  });
  expect(await get(`bases/${base.slug}`)).toMatchObject({
    status: 200,
    body: { archive_size_bytes: 42, reviews: [], creator_type: "community" },
  });
  expect(await get(`bases/${base.id}/versions`)).toMatchObject({
    body: { versions: [], default_branch: null, git_repo_url: null },
  });
  expect(await get(`bases/${secret.id}`)).toMatchObject({ status: 404 });
  expect(await get(`bases/${secret.id}`, owner.token)).toMatchObject({ status: 200 });
});
