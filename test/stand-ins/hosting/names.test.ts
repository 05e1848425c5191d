import { execFile } from "node:child_process";
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { NetlifyAPI } from "@netlify/api";
import { createDeployment } from "@vercel/client";
import { Cloudflare } from "cloudflare";
import { createApiClient } from "dots-wrapper";
import Heroku from "heroku-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HostingAccess, HostingName } from "#src/platform/hosting/hosting.ts";
import { createHosting } from "#src/platform/hosting/index.ts";
import { testOptions } from "#test/platform/hosting/support/options.ts";
import { newRelease, PROGRAM } from "#test/platform/hosting/support/release.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { sha1, startTestHosting, type TestHosting, TOKEN, until } from "../support/hosting.ts";

const run = promisify(execFile);

/** Names that an address, a form or a shell writes in another way. */
const NAMES = [
  "index.html",
  "a space.html",
  "ünï/日本 b.txt",
  "decomposed-u\u0308.txt",
  "plus+and&amp,semi;.txt",
  "quo'te/100%.txt",
  'back\\slash"quote.txt',
  "%41.txt",
  "[id]/x.html",
  "{a}(b)!~$@=*.txt",
  "trailing /space .txt ",
  "tab\there.txt",
  "🎉/é.txt",
];
/** Parts of an address, which Netlify takes in no name. */
const ADDRESS_SIGNS = ["#hash?.txt", "what?/is#this.html"];

const contentOf = (name: string) => `The file ${name}\n`;
const textsOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, contentOf(name)] as const));

/** Of an account that has none of our uploads. */
const FOREIGN_TOKEN = "standin_foreign";
const WRANGLER = path.resolve("node_modules/wrangler/bin/wrangler.js");

let hosting: TestHosting;
/** Holds files of all names. */
let folder: string;
/** Of foreign programs. */
let home: string;
let git: Awaited<ReturnType<typeof startGitServer>>;

beforeAll(async () => {
  hosting = await startTestHosting();
  git = await startGitServer();
  folder = mkdtempSync(path.join(tmpdir(), "names-"));
  for (const [name, content] of Object.entries(textsOf([...NAMES, ...ADDRESS_SIGNS]))) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  home = mkdtempSync(path.join(tmpdir(), "home-"));
  writeFileSync(path.join(home, "package.json"), PROGRAM);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  rmSync(home, { recursive: true });
  await git.close();
  await hosting.close();
});

async function accountId(token: string): Promise<string> {
  const client = new Cloudflare({ apiToken: token, baseURL: `${hosting.url}/cloudflare/client/v4` });
  const [account] = (await client.accounts.list()).result;
  return account?.id ?? "";
}

/** Publishes files as the service does. */
async function deployOurs(name: HostingName, site: string, names: readonly string[]): Promise<void> {
  const provider = createHosting(testOptions({ standinUrl: hosting.url })).provider(name, { requests: 200 });
  const access: HostingAccess = {
    token: TOKEN,
    isStandin: true,
    metadata: { account_id: await accountId(TOKEN) },
  };
  const texts = textsOf(names);
  const made = await provider.createSite(access, { name: site, framework: null });
  const release = await newRelease(provider, made, texts, { env: {} });
  const source = {
    url: name === "digitalocean" ? git.create(site, texts) : "",
    branch: "main",
    commit: "0".repeat(40),
    isPrivate: false,
  };
  const wanted = { ...release, source };
  const published = await provider.publish(access, wanted, provider.budget);
  if (published === "unfinished") throw new Error("The release was not published in one call");
  await until(
    () => provider.state(access, made, published.deploymentId),
    ({ outcome }) => outcome !== "pending",
  );
  expect(await provider.state(access, made, published.deploymentId)).toMatchObject({ outcome: "success" });
}

/** Every file is at the address that its name has, and only there. */
async function expectServed(site: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const encoded = name.split("/").map(encodeURIComponent);
    const reply = await hosting.visit(site, `/${encoded.join("/")}`);
    expect([name, reply.status, reply.body]).toEqual([name, 200, contentOf(name)]);
  }
}

/** The files that a provider was sent for a site, as it keeps them. */
function sentFor(site: string): object[] {
  const db = new DatabaseSync(path.join(hosting.dataDir, "hosting.sqlite"), { readOnly: true });
  try {
    const sql = `SELECT path, blob, type FROM file WHERE deployment = (SELECT live FROM site WHERE name = ?) ORDER BY path`;
    return db.prepare(sql).all(site);
  } finally {
    db.close();
  }
}

/** Deploys the folder's files of these names with a program of the provider's own, to a site of this name. */
type Foreign = (site: string, names: readonly string[]) => Promise<unknown>;

const FOREIGN: Readonly<Record<HostingName, Foreign>> = {
  cloudflare: async (site) =>
    run(
      process.execPath,
      [WRANGLER, "deploy", "--assets", folder, "--name", site, "--compatibility-date", "2026-01-01"],
      {
        cwd: home,
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          CI: "1",
          WRANGLER_SEND_METRICS: "false",
          CLOUDFLARE_API_BASE_URL: `${hosting.url}/cloudflare/client/v4`,
          CLOUDFLARE_API_TOKEN: FOREIGN_TOKEN,
          CLOUDFLARE_ACCOUNT_ID: await accountId(FOREIGN_TOKEN),
        },
      },
    ),
  async vercel(site) {
    const apiUrl = `${hosting.url}/vercel`;
    const client = { token: FOREIGN_TOKEN, path: folder, apiUrl, skipAutoDetectionConfirmation: true };
    for await (const event of createDeployment(client, { name: site, target: "production" })) {
      if (event.type === "error") throw new Error(JSON.stringify(event.payload));
    }
  },
  async netlify(site, names) {
    const { host } = new URL(hosting.url);
    const api = new NetlifyAPI(FOREIGN_TOKEN, { scheme: "http", host, pathPrefix: "/netlify/api/v1" });
    const { id: site_id = "" } = await api.createSite({ body: { name: site } });
    const files = Object.fromEntries(names.map((name) => [name, sha1(contentOf(name))]));
    const { id: deploy_id = "", required = [] } = await api.createSiteDeploy({ site_id, body: { files } });
    // As netlify-cli does: one of the paths of each digest that is asked for.
    for (const name of names.filter((each) => required.includes(sha1(contentOf(each))))) {
      const body = () => createReadStream(path.join(folder, name));
      await api.uploadDeployFile({ deploy_id, path: encodeURIComponent(name), body });
    }
    await until(
      () => api.getDeploy({ deploy_id }),
      ({ state }) => state === "ready",
    );
  },
  async heroku(site) {
    const heroku = new Heroku({ token: FOREIGN_TOKEN, host: hosting.url });
    await heroku.post("/heroku/apps", { body: { name: site } });
    const { source_blob: source } = await heroku.post<{
      source_blob: { put_url: string; get_url: string };
    }>(`/heroku/apps/${site}/sources`);
    const archive = path.join(home, "source.tgz");
    const inPublic = String.raw`--transform=s,^\./,public/,`;
    await run("tar", [
      "--format=pax",
      inPublic,
      "-czf",
      archive,
      "-C",
      home,
      "package.json",
      "-C",
      folder,
      ".",
    ]);
    const put = await fetch(source.put_url, { method: "PUT", body: await readFile(archive) });
    expect(put.status).toBe(200);
    const body = { source_blob: { url: source.get_url } };
    const build = await heroku.post<{ id: string }>(`/heroku/apps/${site}/builds`, { body });
    await until(
      () => heroku.get<{ status: string }>(`/heroku/apps/${site}/builds/${build.id}`),
      ({ status }) => status === "succeeded",
    );
  },
  async digitalocean(site, names) {
    const { app: apps } = createApiClient({
      token: FOREIGN_TOKEN,
      endpoint: `${hosting.url}/digitalocean/v2`,
    });
    const component = {
      name: "web",
      git: { repo_clone_url: git.create(site, textsOf(names)), branch: "main" },
    };
    const created = await apps.createApp({ spec: { name: site, static_sites: [component] } });
    await until(
      async () => (await apps.getApp({ app_id: created.data.app.id })).data.app,
      ({ live_url }) => Boolean(live_url),
    );
  },
};

const PROVIDERS = ["cloudflare", "vercel", "netlify", "heroku", "digitalocean"] as const;

function namesAt(name: HostingName): string[] {
  if (name === "netlify") return NAMES;
  const all = [...NAMES, ...ADDRESS_SIGNS];
  // The stand-in's git client, which fetches for DigitalOcean, refuses trees with a backslash.
  return name === "digitalocean" ? all.filter((each) => !each.includes("\\")) : all;
}

it.each(PROVIDERS)("is sent to %s and served there as by a program of the provider's own", async (name) => {
  const names = namesAt(name);
  await deployOurs(name, `${name}-ours`, names);
  await expectServed(`${name}-ours`, names);
  await FOREIGN[name](`${name}-foreign`, names);
  await expectServed(`${name}-foreign`, names);
  expect(sentFor(`${name}-ours`)).toEqual(sentFor(`${name}-foreign`));
});

it("says which name Netlify does not take", async () => {
  await expect(deployOurs("netlify", "netlify-signs", [...NAMES, ...ADDRESS_SIGNS])).rejects.toMatchObject({
    kind: "refused",
    message: expect.stringContaining('"#hash?.txt"'),
  });
});
