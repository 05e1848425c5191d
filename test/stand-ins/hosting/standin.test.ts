import { afterAll, describe, expect, it } from "vitest";
import { PUBLIC_URL, sha1, startTestHosting, TOKEN, until, visit } from "../support/hosting.ts";

/*
 * What a client of each provider does is in test/platform/hosting; that the stand-in is as the providers are is shown with
 * programs of their own, in names.test.ts.
 */
const hosting = await startTestHosting();
afterAll(() => hosting.close());

const HEROKU = { accept: "application/vnd.heroku+json; version=3" };
const post = (at: string, json: object) => hosting.call(at, { method: "POST", json });

/** Deploys to Vercel and waits for the end. */
async function deploy(name: string, files: Readonly<Record<string, string>>) {
  const made = await hosting.json<{ id: string }>("/vercel/v13/deployments", {
    method: "POST",
    json: {
      name,
      target: "production",
      projectSettings: {},
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
    },
  });
  return until(
    () => hosting.json<{ readyState: string; url: string }>(`/vercel/v13/deployments/${made.id}`),
    ({ readyState }) => ["READY", "ERROR"].includes(readyState),
  );
}

/** A call of each provider that needs no more than a token, and the answer to a wrong one. */
const TESTS = [
  { at: "/vercel/v2/user", status: 403, error: { error: { code: "forbidden", invalidToken: true } } },
  { at: "/netlify/api/v1/user", status: 401, error: { code: 401, message: "Access Denied" } },
  {
    at: "/cloudflare/client/v4/user/tokens/verify",
    status: 401,
    error: { success: false, errors: [{ code: 1000 }] },
  },
  { at: "/heroku/account", headers: HEROKU, status: 401, error: { id: "unauthorized" } },
  { at: "/digitalocean/v2/account", status: 401, error: { id: "unauthorized" } },
];

describe("a provider", () => {
  it.each(TESTS)("answers at $at a token of the stand-in as its account, and no other", async (each) => {
    const { at, headers = {}, status, error } = each;
    const [one, same, other] = await Promise.all(
      [TOKEN, TOKEN, "standin_bob"].map((token) => hosting.json(at, { headers, token })),
    );
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    for (const token of [null, "ghp_other"]) {
      const response = await hosting.call(at, { headers, token });
      expect([token, response.status]).toEqual([token, status]);
      expect(await response.json()).toMatchObject(error);
    }
  });

  it.each([
    ["/vercel/v13/deployments", { name: "a", files: [{ file: "a", data: "" }], more: 1 }, 400],
    [
      "/vercel/v13/deployments",
      { name: "a", files: [{ file: "a", sha: sha1("a"), size: 1 }], projectSettings: {} },
      400,
    ],
    ["/digitalocean/v2/apps", { spec: { name: "no-source", static_sites: [{ name: "web" }] } }, 400],
    ["/netlify/api/v1/nothing", {}, 404],
  ])("refuses at %s what it does not know: %j", async (at, json, status) => {
    expect((await post(at, json)).status).toBe(status);
  });

  it("checks the digest of an upload", async () => {
    const headers = { "x-vercel-digest": sha1("<p>1") };
    const upload = (body: string) => hosting.call("/vercel/v2/files", { method: "POST", body, headers });
    expect([(await upload("<p>2")).status, (await upload("<p>1")).status]).toEqual([400, 200]);
  });
});

describe("a site", () => {
  it("is served at its name, which leads to nothing else, and sandboxed by its path", async () => {
    await deploy("plain", { "index.html": "<h1>Hello", "docs/index.html": "docs", "404.html": "gone" });
    const page = await hosting.visit("plain");
    expect(page).toMatchObject({ status: 200, body: "<h1>Hello" });
    expect(page.headers["content-security-policy"]).toBeUndefined();
    expect((await hosting.visit("plain", "/docs")).headers.location).toBe("/docs/");
    expect(await hosting.visit("plain", "/none")).toMatchObject({ status: 404, body: "gone" });
    for (const at of ["/_standin/sites", "/vercel/oauth/authorize", "/_sites/plain/", "/vercel/v2/user"]) {
      expect((await hosting.visit("plain", at)).status).toBe(404);
    }
    expect((await visit(hosting.url, "evil.test", "/_standin/sites")).status).toBe(403);
    const byPath = await hosting.call("/_sites/plain/", { token: null });
    expect(await byPath.text()).toBe("<h1>Hello");
    expect(byPath.headers.get("content-security-policy")).toBe("sandbox allow-scripts");
  });

  it("shows the newest deployment, also after a restart, and says why it serves nothing", async () => {
    const first = await deploy("versions", { "index.html": "one" });
    await deploy("versions", { "index.html": "two" });
    await hosting.restart();
    expect((await hosting.visit("versions")).body).toBe("two");
    const host = first.url.replace(/\.localhost.*$/u, ".localhost");
    expect((await visit(hosting.url, host, "/")).body).toBe("one");
    const program = { "package.json": JSON.stringify({ scripts: { start: "node ." } }), "index.html": "" };
    expect(await deploy("without", program)).toMatchObject({ readyState: "ERROR" });
  });

  it("is listed without variables and tokens", async () => {
    await post("/vercel/v11/projects", { name: "listed" });
    const variable = { key: "SECRET", value: "hush-hush", type: "plain", target: ["production"] };
    await post("/vercel/v10/projects/listed/env", variable);
    const lists = await Promise.all(
      ["/", "/_standin/sites", "/_standin/deployments", "/_standin/calls"].map(async (at) =>
        (await hosting.call(at, { token: null })).text(),
      ),
    );
    expect(lists[0]).toContain("http://listed.localhost:");
    expect(lists.join("")).not.toMatch(/hush-hush|standin_ada/u);
  });
});

const create = (name: string) => post("/netlify/api/v1/sites", { name });

it("a fault answers in the provider's form as often as it says, or loses the answer after its effect", async () => {
  const fault = (fields: object) => hosting.control("faults", { faults: [fields] });
  await fault({ call: "netlify POST sites", status: 429, retry_after: 7 });
  const limited = await create("limited");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
  expect((await create("limited")).status).toBe(201);
  await fault({ call: "netlify POST sites", lost: true });
  await expect(create("lost")).rejects.toThrow("fetch failed");
  const sites = await hosting.json<{ name: string }[]>("/_standin/sites");
  expect(sites.map(({ name }) => name)).toEqual(expect.arrayContaining(["limited", "lost"]));
  expect((await hosting.control("faults", { call: "netlify POST sites" })).status).toBe(400);
});

const consentAt = (redirect_uri: string) =>
  `/heroku/oauth/authorize?${new URLSearchParams({
    client_id: "standin",
    redirect_uri,
    response_type: "code",
    state: "the-state",
    code_challenge: "0".repeat(43),
    code_challenge_method: "S256",
  })}`;

it("the consent page leads nobody to another address, and takes no answer of another page", async () => {
  for (const elsewhere of ["http://evil.test/api/deployment-oauth/", `${PUBLIC_URL}/api/other`]) {
    const response = await hosting.call(consentAt(elsewhere), { token: null });
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  }
  const forged = await hosting.call(consentAt(`${PUBLIC_URL}/api/deployment-oauth/heroku/callback`), {
    method: "POST",
    body: "",
    headers: { origin: "http://site.localhost" },
  });
  expect(forged.status).toBe(403);
});
