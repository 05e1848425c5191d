import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha1, startTestHosting, type TestHosting, TOKEN, until } from "../support/hosting.ts";

let hosting: TestHosting;

beforeAll(async () => {
  hosting = await startTestHosting();
});
afterAll(() => hosting.close());

const HEROKU = { accept: "application/vnd.heroku+json; version=3" };

const postDeployment = (json: object) => hosting.json("/vercel/v13/deployments", { method: "POST", json });

const variable = (value: string) => ({ key: "NAME", values: [{ context: "all", value }] });

function publish(account: string, script: string, jwt: string): Promise<Response> {
  const body = new FormData();
  body.set("metadata", JSON.stringify({ assets: { jwt }, compatibility_date: "2026-01-01" }));
  return hosting.call(`${account}/workers/scripts/${script}`, { method: "PUT", body });
}

const putSource = (at: URL, headers: Record<string, string>) =>
  fetch(at, { method: "PUT", body: Buffer.from("x"), headers });

const createApp = (spec: object) => hosting.call("/digitalocean/v2/apps", { method: "POST", json: { spec } });

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

it.each(TESTS)("$at answers a token of the stand-in as its account, and no other", async (each) => {
  const { at, headers = {}, status, error } = each;
  const [one, same, other] = await Promise.all(
    [TOKEN, TOKEN, "standin_bob"].map((token) => hosting.json(at, { headers, token })),
  );
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
  for (const token of [null, "ghp_other", "standin_bad_1", "standin_oauth_unknown"]) {
    const response = await hosting.call(at, { headers, token });
    expect([token, response.status]).toEqual([token, status]);
    expect(await response.json()).toMatchObject(error);
  }
});

it("has nothing but the calls of its providers", async () => {
  for (const at of ["/vercel/v1", "/netlify/api/v1", "/cloudflare/client/v4", "/digitalocean/v3"])
    expect([at, (await hosting.call(`${at}/nothing`)).status]).toEqual([at, 404]);
});

describe("vercel", () => {
  it("names the files that are missing, and checks the digest of an upload", async () => {
    const file = { file: "index.html", sha: sha1("<p>1"), size: 4 };
    const json = { name: "digests", files: [file], projectSettings: {} };
    const refused = await hosting.call("/vercel/v13/deployments", { method: "POST", json });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "missing_files", missing: [file.sha] } });
    const upload = (body: string) =>
      hosting.call("/vercel/v2/files", { method: "POST", body, headers: { "x-vercel-digest": file.sha } });
    expect((await upload("<p>2")).status).toBe(400);
    expect((await upload("<p>1")).status).toBe(200);
    expect((await hosting.call("/vercel/v13/deployments", { method: "POST", json })).status).toBe(200);
  });

  it("asks for the settings of a project that is new, and refuses unknown fields", async () => {
    const files = [{ file: "index.html", data: "" }];
    await expect(postDeployment({ name: "unknown", files })).rejects.toThrow("missing_project_settings");
    await expect(postDeployment({ name: "unknown", files, more: 1 })).rejects.toThrow(
      "additional property `more`",
    );
  });

  it("ends a build in ERROR with the reason", async () => {
    const files = [{ file: "index.html", data: "" }];
    const json = { name: "built", files, projectSettings: { buildCommand: "npm run build" } };
    const { id } = await hosting.json<{ id: string }>("/vercel/v13/deployments", { method: "POST", json });
    const state = () =>
      hosting.json<{ readyState: string; errorMessage?: string }>(`/vercel/v13/deployments/${id}`);
    const over = await until(state, ({ readyState }) => readyState === "ERROR");
    expect(over.errorMessage).toContain("builds nothing");
    expect(JSON.stringify(await hosting.json(`/vercel/v3/deployments/${id}/events`))).toContain(
      "builds nothing",
    );
  });

  it("stores variables with upsert, and says a sensitive one to nobody", async () => {
    await hosting.json("/vercel/v11/projects", { method: "POST", json: { name: "env" } });
    const at = "/vercel/v10/projects/env/env";
    const json = { key: "SECRET", value: "hush", type: "sensitive", target: ["production"] };
    expect((await hosting.call(`${at}?upsert=true`, { method: "POST", json })).status).toBe(201);
    expect((await hosting.call(at, { method: "POST", json })).status).toBe(400);
    expect((await hosting.call(`${at}?upsert=true`, { method: "POST", json: [json] })).status).toBe(201);
    expect(JSON.stringify(await hosting.json(at))).not.toContain("hush");
  });
});

describe("netlify", () => {
  it("checks the digest and the type of an upload, and lists by a part of the name", async () => {
    const { id } = await hosting.json<{ id: string }>("/netlify/api/v1/sites", {
      method: "POST",
      json: { name: "restored" },
    });
    const deploy = async (content: string) => {
      const json = { files: { "/index.html": sha1(content) } };
      const made = await hosting.json<{ id: string; state: string }>(`/netlify/api/v1/sites/${id}/deploys`, {
        method: "POST",
        json,
      });
      const put = (body: string, type: string) =>
        hosting.call(`/netlify/api/v1/deploys/${made.id}/files/index.html`, {
          method: "PUT",
          body,
          headers: { "content-type": type },
        });
      expect((await put("other", "application/octet-stream")).status).toBe(422);
      expect((await put(content, "text/html")).status).toBe(415);
      expect((await put(content, "application/octet-stream")).status).toBe(200);
      await until(
        () => hosting.visit("restored"),
        ({ body }) => body === content,
      );
    };
    await deploy("one");
    expect(await hosting.json("/netlify/api/v1/sites?name=store&filter=all")).toMatchObject([{ id }]);
  });

  it("keeps the variables of a site", async () => {
    const [account] = await hosting.json<{ id: string }[]>("/netlify/api/v1/accounts");
    const at = `/netlify/api/v1/accounts/${account?.id}/env`;
    expect((await hosting.call(at, { method: "POST", json: [variable("1")] })).status).toBe(201);
    expect((await hosting.call(at, { method: "POST", json: [variable("1")] })).status).toBe(422);
    expect((await hosting.call(`${at}/OTHER`, { method: "PUT", json: variable("2") })).status).toBe(404);
    await hosting.json(`${at}/NAME`, { method: "PUT", json: variable("2") });
    expect(await hosting.json(at)).toMatchObject([{ key: "NAME", values: [{ value: "2" }] }]);
  });
});

describe("cloudflare", () => {
  const api = "/cloudflare/client/v4";
  const content = Buffer.from("<p>worker").toString("base64");
  const hash = "0123456789abcdef0123456789abcdef";

  async function begin(script: string) {
    const { result } = await hosting.json<{ result: { id: string }[] }>(`${api}/accounts`);
    const account = `${api}/accounts/${result[0]?.id}`;
    const session = await hosting.json<{ result: { jwt: string; buckets: string[][] } }>(
      `${account}/workers/scripts/${script}/assets-upload-session`,
      { method: "POST", json: { manifest: { "/index.html": { hash, size: 9 } } } },
    );
    return { account, ...session.result };
  }

  it("takes the completion token for an hour, for its own Worker", async () => {
    const { account, jwt } = await begin("timed");
    const form = new FormData();
    form.set(hash, new File([content], hash, { type: "text/html" }));
    const upload = (at: string, token: string) => hosting.call(at, { method: "POST", body: form, token });
    const at = `${account}/workers/assets/upload`;
    expect((await upload(`${at}?base64=true`, TOKEN)).status).toBe(401);
    expect((await upload(at, jwt)).status).toBe(400);
    const done = await upload(`${at}?base64=true`, jwt);
    expect(done.status).toBe(201);
    const { result } = JSON.parse(await done.text());
    expect((await publish(account, "another", result.jwt)).status).toBe(400);
    expect((await publish(account, "timed", jwt)).status).toBe(400);
    expect((await publish(account, "timed", result.jwt)).status).toBe(200);
    expect((await publish(account, "timed", result.jwt)).status).toBe(200);
    hosting.pass(3_601);
    expect((await publish(account, "timed", result.jwt)).status).toBe(400);
    const { buckets, jwt: again } = await begin("timed");
    expect(buckets).toEqual([]);
    expect((await publish(account, "timed", again)).status).toBe(200);
  });

  it("shows a Worker at its address once that is switched on", async () => {
    const { account, jwt } = await begin("switched");
    expect((await publish(account, "switched", jwt)).status).toBe(200);
    expect((await hosting.visit("switched")).status).toBe(404);
    await hosting.json(`${account}/workers/scripts/switched/subdomain`, {
      method: "POST",
      json: { enabled: true },
    });
    expect(await hosting.visit("switched")).toMatchObject({ status: 200, body: "<p>worker" });
  });

  it("refuses the account of somebody else, and a Worker that is not there", async () => {
    const { account } = await begin("mine");
    expect((await hosting.call(account, { token: "standin_bob" })).status).toBe(403);
    const gone = await hosting.call(`${account}/workers/scripts/nothing`, { method: "DELETE" });
    expect(await gone.json()).toMatchObject({ errors: [{ code: 10_007 }] });
  });
});

/** Sends a body without saying how long it is. */
function putInChunks(url: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(url.href, { method: "PUT" }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once("error", reject);
    request.write("x");
    request.end();
  });
}

describe("heroku", () => {
  it("insists on its header", async () => {
    const response = await hosting.call("/heroku/account");
    expect([response.status, await response.json()]).toMatchObject([406, { id: "not_acceptable" }]);
  });

  it("has every name once, and says whether it is another's", async () => {
    const create = (token: string, name: string) =>
      hosting.call("/heroku/apps", { method: "POST", json: { name }, headers: HEROKU, token });
    expect((await create(TOKEN, "ours")).status).toBe(201);
    expect(await (await create("standin_bob", "ours")).json()).toEqual({
      id: "invalid_params",
      message: "Name ours is already taken",
    });
    expect((await create(TOKEN, "Ours")).status).toBe(422);
    expect((await hosting.call("/heroku/apps/ours", { headers: HEROKU, token: "standin_bob" })).status).toBe(
      403,
    );
    expect((await hosting.call("/heroku/apps/none", { headers: HEROKU })).status).toBe(404);
  });

  it("takes a source at its address without headers, as it was signed", async () => {
    const made = await hosting.json<{ source_blob: { put_url: string; get_url: string } }>(
      "/heroku/sources",
      {
        method: "POST",
        headers: HEROKU,
      },
    );
    const url = new URL(made.source_blob.put_url);
    expect((await putSource(url, { "content-type": "application/gzip" })).status).toBe(403);
    expect((await putSource(url, { authorization: `Bearer ${TOKEN}` })).status).toBe(400);
    const forged = new URL(url);
    forged.searchParams.set("Signature", "a.b.c");
    expect((await putSource(forged, {})).status).toBe(403);
    expect(await putInChunks(url)).toBe(411);
    expect((await fetch(made.source_blob.get_url)).status).toBe(404);
    expect((await putSource(url, {})).status).toBe(200);
    expect(await (await fetch(made.source_blob.get_url)).text()).toBe("x");
  });

  it("fails a build of what is no program", async () => {
    await hosting.json("/heroku/apps", { method: "POST", json: { name: "empty" }, headers: HEROKU });
    const build = await hosting.json<{ id: string }>("/heroku/apps/empty/builds", {
      method: "POST",
      json: { source_blob: { url: "https://elsewhere.test/source.tgz" } },
      headers: HEROKU,
    });
    const at = `/heroku/apps/empty/builds/${build.id}`;
    const over = await until(
      () => hosting.json<{ status: string }>(at, { headers: HEROKU }),
      ({ status }) => status === "failed",
    );
    expect(over.status).toBe("failed");
  });
});

describe("digitalocean", () => {
  const git = { repo_clone_url: "http://127.0.0.1:9/none.git", branch: "main" };
  it("refuses a spec that is none, and a name that is taken", async () => {
    const site = { name: "web", git };
    expect((await createApp({ name: "Upper", static_sites: [site] })).status).toBe(400);
    expect((await createApp({ name: "no-source", static_sites: [{ name: "web" }] })).status).toBe(400);
    expect((await createApp({ name: "unknown", static_sites: [{ ...site, more: 1 }] })).status).toBe(400);
    expect((await createApp({ name: "taken", static_sites: [site] })).status).toBe(200);
    expect((await createApp({ name: "taken", static_sites: [site] })).status).toBe(409);
  });

  it("ends a deployment in ERROR with the reason in the log", async () => {
    const made = await createApp({ name: "unreachable", static_sites: [{ name: "web", git }] });
    const { app } = JSON.parse(await made.text());
    const at = `/digitalocean/v2/apps/${app.id}/deployments`;
    const list = () => hosting.json<{ deployments: { id: string; phase: string }[] }>(at);
    const { deployments } = await until(list, ({ deployments: [first] }) => first?.phase === "ERROR");
    const logs = await hosting.json<{ historic_urls: string[] }>(
      `${at}/${deployments[0]?.id}/logs?type=BUILD`,
    );
    expect(await (await fetch(logs.historic_urls[0] ?? "")).text()).toContain("could not be fetched");
  });
});
