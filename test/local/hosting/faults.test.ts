import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestHosting, type TestHosting } from "../support/hosting.ts";

let hosting: TestHosting;

beforeEach(async () => {
  hosting = await startTestHosting();
});
afterEach(() => hosting.close());

const create = (name: string) => hosting.call("/netlify/api/v1/sites", { method: "POST", json: { name } });
const names = async () => {
  const sites = await hosting.json<{ name: string }[]>("/_standin/sites");
  return sites.map(({ name }) => name);
};

async function fault(...faults: object[]): Promise<void> {
  expect((await hosting.control("faults", { faults })).status).toBe(200);
}

it("answers with a status in the provider's form, without an effect, as often as it says", async () => {
  await fault({ call: "netlify POST sites", status: 429, retry_after: 7, times: 2 });
  const limited = await create("limited");
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after")).toBe("7");
  expect(limited.headers.get("x-ratelimit-reset")).toMatch(/^\d+$/u);
  expect(await limited.json()).toMatchObject({ code: 429 });
  expect(await names()).toEqual([]);
  expect((await create("limited")).status).toBe(429);
  expect((await create("limited")).status).toBe(201);
});

it("answers with garbage, late, or not at all after the effect", async () => {
  await fault({ call: "netlify POST sites", garbage: true });
  expect(await (await create("garbage")).text()).toContain("Not the API");
  await fault({ call: "netlify POST sites", delay: 300 });
  const began = performance.now();
  expect((await create("late")).status).toBe(201);
  expect(performance.now() - began).toBeGreaterThanOrEqual(295);
  await fault({ call: "netlify POST sites", lost: true });
  await expect(create("lost")).rejects.toThrow("fetch failed");
  expect(await names()).toEqual(["lost", "late"]);
});

it("means one call: by its whole path, with wildcards for segments and the rest", async () => {
  const { id } = await hosting.json<{ id: string }>("/netlify/api/v1/sites", {
    method: "POST",
    json: { name: "one" },
  });
  const site = `/netlify/api/v1/sites/${id}`;
  for (const [call, failing] of [
    ["netlify GET sites", "/netlify/api/v1/sites"],
    ["netlify GET sites/{site}", site],
    ["netlify GET sites/*/deploys", `${site}/deploys`],
    ["netlify GET sites/{site}/**", `${site}/deploys`],
  ] as const) {
    await fault({ call, status: 500 });
    expect((await hosting.call("/netlify/api/v1/user")).status).toBe(200);
    expect((await hosting.call(failing)).status).toBe(500);
    expect((await hosting.call(failing)).status).toBe(200);
  }
  await fault({ call: "vercel POST login/oauth/token", status: 503 });
  expect((await hosting.call("/vercel/login/oauth/token", { method: "POST", body: "" })).status).toBe(503);
});

it("is refused when it says nothing", async () => {
  expect((await hosting.control("faults", { call: "netlify POST sites" })).status).toBe(400);
});

it("stands in the journal beside all other calls, without queries", async () => {
  await hosting.call("/netlify/api/v1/sites?name=secret-name");
  await fault({ call: "netlify GET user", status: 500 });
  await hosting.call("/netlify/api/v1/user");
  await hosting.call("/netlify/api/v1/sites/none");
  const journal = await hosting.json<{ calls: object[] }>("/_standin/calls");
  expect(journal).toMatchObject({
    counts: { "netlify GET sites": 1, "netlify GET user": 1, "netlify GET sites/{site}": 1 },
    calls: [
      { provider: "netlify", method: "GET", path: "sites", status: 200, fault: false },
      { path: "user", status: 500, fault: true },
      { path: "sites/none", status: 404 },
    ],
  });
  expect(JSON.stringify(journal)).not.toContain("secret-name");
  await hosting.control("calls/clear");
  expect(await hosting.json("/_standin/calls")).toEqual({ counts: {}, calls: [] });
});
