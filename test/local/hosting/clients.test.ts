import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { tmpdir } from "node:os";
import path from "node:path";
import { packTar } from "modern-tar";
import { NetlifyAPI } from "@netlify/api";
import { createDeployment } from "@vercel/client";
import { Cloudflare } from "cloudflare";
import { createApiClient } from "dots-wrapper";
import Heroku from "heroku-client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startGitServer } from "#test/support/git-server.ts";
import { pages, sha1, startTestHosting, type TestHosting, TOKEN, until } from "../support/hosting.ts";

let hosting: TestHosting;
/** Holds the 50 files. */
let folder: string;

beforeEach(async () => {
  hosting = await startTestHosting();
  folder = mkdtempSync(path.join(tmpdir(), "site-"));
  for (const [name, content] of Object.entries(pages(50))) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await hosting.close();
});

/** The site of the files shows the first and a nested one of them. */
async function expectLive(label: string, version: string): Promise<void> {
  expect(await hosting.visit(label)).toMatchObject({ status: 200, body: `<h1>Version ${version}</h1>` });
  const nested = await hosting.visit(label, "/pages/2/page%207.html");
  expect(nested).toMatchObject({ status: 200, body: `<p>Page 7 of version ${version}</p>` });
}

it("takes 50 files from @vercel/client", async () => {
  const events: string[] = [];
  const client = {
    token: TOKEN,
    path: folder,
    apiUrl: `${hosting.url}/vercel`,
    skipAutoDetectionConfirmation: true,
  };
  for await (const { type, payload } of createDeployment(client, {
    name: "vercel-site",
    target: "production",
  })) {
    if (type === "error") throw new Error(JSON.stringify(payload));
    events.push(type);
  }
  expect(events).toEqual(
    expect.arrayContaining(["file-count", "all-files-uploaded", "created", "alias-assigned"]),
  );
  expect(events.filter((type) => type === "file-uploaded")).toHaveLength(50);
  await expectLive("vercel-site", "1");
});

it("takes 50 files from @netlify/api", async () => {
  const { host } = new URL(hosting.url);
  const api = new NetlifyAPI(TOKEN, { scheme: "http", host, pathPrefix: "/netlify/api/v1" });
  const files = pages(50);
  const { id: site_id = "" } = await api.createSite({ body: { name: "netlify-site" } });
  const digests = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sha1(content)]));
  const { id: deploy_id = "", required } = await api.createSiteDeploy({
    site_id,
    title: "our-id",
    body: { files: digests },
  });
  expect(required).toHaveLength(50);
  for (const name of Object.keys(files)) {
    const body = () => createReadStream(path.join(folder, name));
    await api.uploadDeployFile({ deploy_id, path: encodeURIComponent(name), body });
  }
  const ready = await until(
    () => api.getDeploy({ deploy_id }),
    ({ state }) => state === "ready",
  );
  expect(ready).toMatchObject({
    title: "our-id",
    ssl_url: `http://netlify-site.localhost:${new URL(hosting.url).port}`,
  });
  await expectLive("netlify-site", "1");
  await api.deleteSite({ site_id });
  expect((await hosting.visit("netlify-site")).status).toBe(404);
});

it("takes 50 files from cloudflare", async () => {
  const client = new Cloudflare({ apiToken: TOKEN, baseURL: `${hosting.url}/cloudflare/client/v4` });
  const [account] = (await client.accounts.list()).result;
  const account_id = account?.id ?? "";
  const files = Object.entries(pages(50)).map(([name, content]) => {
    const base64 = Buffer.from(content).toString("base64");
    const hash = createHash("sha256").update(`${base64}html`).digest("hex").slice(0, 32);
    return { name, base64, hash, size: Buffer.byteLength(content) };
  });
  const manifest = Object.fromEntries(files.map(({ name, hash, size }) => [`/${name}`, { hash, size }]));
  const session = await client.workers.scripts.assets.upload.create("worker-site", { account_id, manifest });
  const buckets = session.buckets ?? [];
  expect(buckets.flat()).toHaveLength(50);
  let completion: string | undefined;
  for (const bucket of buckets) {
    const body = Object.fromEntries(
      files.filter(({ hash }) => bucket.includes(hash)).map(({ hash, base64 }) => [hash, base64]),
    );
    const headers = { authorization: `Bearer ${session.jwt}` };
    const answer = await client.workers.assets.upload.create({ account_id, base64: true, body }, { headers });
    completion = answer.jwt ?? completion;
  }
  // `workers.scripts.update` sends a form with the content type of JavaScript.
  const body = new FormData();
  body.set("metadata", JSON.stringify({ assets: { jwt: completion }, compatibility_date: "2026-01-01" }));
  await client.put(`/accounts/${account_id}/workers/scripts/worker-site`, { body });
  await client.workers.scripts.subdomain.create("worker-site", { account_id, enabled: true });
  await expectLive("worker-site", "1");
  const subdomain = await client.workers.subdomains.get({ account_id });
  await expectLive(`worker-site.${subdomain.subdomain}`, "1");
  await client.workers.scripts.delete("worker-site", { account_id });
  expect((await hosting.visit("worker-site")).status).toBe(404);
});

it("takes 50 files from heroku-client", async () => {
  const heroku = new Heroku({ token: TOKEN, host: hosting.url });
  const app = await heroku.post<{ id: string }>("/heroku/apps", { body: { name: "heroku-site" } });
  await heroku.patch("/heroku/apps/heroku-site/config-vars", { body: { GREETING: "hello" } });
  const program = { "package.json": JSON.stringify({ scripts: { start: "node ." } }) };
  const published = Object.entries(pages(49)).map(([name, body]) => [`public/${name}`, body] as const);
  const entries = [...Object.entries(program), ...published].map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), type: "file" as const },
    body,
  }));
  const archive = gzipSync(await packTar(entries));
  const { source_blob: source } = await heroku.post<{ source_blob: { put_url: string; get_url: string } }>(
    `/heroku/apps/${app.id}/sources`,
  );
  expect((await fetch(source.put_url, { method: "PUT", body: archive })).status).toBe(200);
  const build = await heroku.post<{ id: string; status: string; output_stream_url: string }>(
    `/heroku/apps/${app.id}/builds`,
    {
      body: { source_blob: { url: source.get_url, version: "our-id" } },
    },
  );
  expect(build.status).toBe("pending");
  const output = await (await fetch(build.output_stream_url)).text();
  expect(output).toContain("Received 50 files");
  const over = await heroku.get(`/heroku/apps/heroku-site/builds/${build.id}`);
  expect(over).toMatchObject({ status: "succeeded", source_blob: { version: "our-id" } });
  await expectLive("heroku-site", "1");
  await heroku.delete("/heroku/apps/heroku-site");
  expect((await hosting.visit("heroku-site")).status).toBe(404);
});

it("takes a repository of 50 files from dots-wrapper", async () => {
  const server = await startGitServer();
  const repo_clone_url = server.create("site", pages(50));
  const { app: apps } = createApiClient({ token: TOKEN, endpoint: `${hosting.url}/digitalocean/v2` });
  const component = { name: "web", git: { repo_clone_url, branch: "main" } };
  const created = await apps.createApp({ spec: { name: "ocean-site", static_sites: [component] } });
  const { id } = created.data.app;
  const live = async () => (await apps.getApp({ app_id: id })).data.app;
  const first = await until(live, ({ live_url }) => Boolean(live_url));
  expect(first.active_deployment?.phase).toBe("ACTIVE");
  await expectLive("ocean-site", "1");
  server.commit("site", "main", pages(50, "2"), "second");
  const again = await apps.createAppDeployment({ app_id: id, force_build: true });
  await until(
    async () =>
      (await apps.getAppDeployment({ app_id: id, deployment_id: again.data.deployment.id })).data.deployment,
    ({ phase }) => phase === "ACTIVE",
  );
  await expectLive("ocean-site", "2");
  await apps.deleteApp({ app_id: id });
  expect((await hosting.visit("ocean-site")).status).toBe(404);
  await server.close();
});
