import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HostingFailure } from "#src/platform/hosting/failure.ts";
import type { HostedSite, HostingName, Release } from "#src/platform/hosting/hosting.ts";
import { createHosting } from "#src/platform/hosting/index.ts";
import { startTestHosting, type TestHosting, until } from "#test/stand-ins/support/hosting.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import {
  startFaultyStandin,
  type Fault,
  type FaultyStandin,
  type SeenCall,
} from "./support/faulty-standin.ts";
import { testOptions } from "./support/options.ts";
import { ENV_CANARY, newRelease } from "./support/release.ts";

/*
 * What every client of a provider does, at the stand-in of `npm start`. That the stand-in is as the providers are is shown with
 * programs of their own, in test/stand-ins/hosting/names.test.ts.
 */

const TOKEN = 'standin_canary-"token"-0815';
const PAGES = {
  "index.html": "<h1>Hello</h1>",
  "assets/a b.js": "let a;",
  "copy/index.html": "<h1>Hello</h1>",
};
/** Of a call that never is answered. */
const SHORT_MS = 200;

let standin: FaultyStandin;
/** Never done with a deployment. */
let slow: TestHosting;
let git: GitServer;
beforeAll(async () => {
  [standin, slow, git] = await Promise.all([
    startFaultyStandin(),
    startTestHosting({ queued: 0, building: 3_600_000 }),
    startGitServer(),
  ]);
});
afterAll(() => Promise.all([standin?.close(), slow?.close(), git?.close()]));

let made = 0;

async function failureOf(work: Promise<unknown>): Promise<HostingFailure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HostingFailure) return error;
  throw new Error(`No HostingFailure: ${String(error)}`);
}

/** The names of the files in the calls by which each provider is sent some. */
function uploadsIn({ call, headers, body }: SeenCall): string[] {
  if (call === "POST /vercel/v2/files") return [String(headers["x-vercel-digest"])];
  if (/^PUT \/netlify\/.*\/files\//u.test(call) || call.startsWith("PUT /heroku/")) return [call];
  if (!call.endsWith("/workers/assets/upload")) return [];
  return [...body.toString("latin1").matchAll(/ name="([0-9a-f]{32})"/gu)].map(([, name = ""]) => name);
}

async function expectSeen(site: HostedSite, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    const address = `/${path.split("/").map(encodeURIComponent).join("/")}`;
    expect([path, await standin.see(site.name, address)]).toEqual([path, text]);
  }
}

/** Of a deployment that was cancelled. A Worker is there as soon as it is uploaded; Heroku has one word for all that failed. */
const AFTER_CANCEL: Readonly<Record<HostingName, string>> = {
  vercel: "cancelled",
  netlify: "cancelled",
  cloudflare: "success",
  heroku: "failed",
  digitalocean: "cancelled",
};

/** All clients send over one function. */
const FAILURES: [Fault, object][] = [
  [{ kind: "status", status: 401 }, { kind: "unauthorized" }],
  [{ kind: "status", status: 403 }, { kind: "unauthorized" }],
  [
    { kind: "status", status: 429, retryAfter: "7" },
    { kind: "rate_limited", retryAfterSeconds: 7 },
  ],
  [
    { kind: "status", status: 422 },
    { kind: "refused", message: expect.stringContaining("because of the test") },
  ],
  [{ kind: "status", status: 500 }, { kind: "unavailable" }],
  [
    { kind: "status", status: 503, retryAfter: "9" },
    { kind: "unavailable", retryAfterSeconds: 9 },
  ],
  [{ kind: "status", status: 400, body: "<html>" }, { kind: "refused" }],
  [{ kind: "garbage" }, { kind: "unavailable" }],
  [{ kind: "redirect" }, { kind: "refused" }],
  [{ kind: "huge" }, { kind: "unavailable" }],
  [{ kind: "reset" }, { kind: "unavailable" }],
  [{ kind: "slow" }, { kind: "unavailable" }],
];

it.each(FAILURES)("a client says what a failure means: %j", async (fault, meaning) => {
  standin.reset();
  standin.fail(0, fault);
  const timeoutMs = fault.kind === "slow" ? SHORT_MS : 60_000;
  const hosting = createHosting(testOptions({ standinUrl: standin.url, timeoutMs }));
  const access = { token: TOKEN, isStandin: true, metadata: {} };
  const asking = hosting.provider("netlify", { requests: 400 }).account(access);
  expect(await failureOf(asking)).toMatchObject(meaning);
});

describe.each(["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] as const)(
  "the client of %s",
  (name: HostingName) => {
    /** Sites are made by their first publication. */
    const isMadeByPublishing = name === "digitalocean" || name === "cloudflare";
    const access = {
      token: TOKEN,
      isStandin: true,
      metadata: {} as Record<string, string>,
    };
    beforeAll(async () => {
      if (name !== "cloudflare") return;
      standin.reset();
      const headers = { authorization: `Bearer ${TOKEN}` };
      const answer = await fetch(`${standin.url}/cloudflare/client/v4/accounts`, { headers });
      const { result }: { result: { id: string }[] } = await answer.json();
      access.metadata["account_id"] = result[0]?.id ?? "";
    });
    const client = ({ requests = 400, url = standin.url } = {}) =>
      createHosting(testOptions({ standinUrl: url })).provider(name, { requests });

    async function newSite(url = standin.url): Promise<HostedSite> {
      made += 1;
      const provider = client({ url });
      const site = { name: provider.siteName("Ada's site", `n${made}`), framework: null };
      return provider.createSite(access, site);
    }

    async function release(
      site: HostedSite,
      texts: Readonly<Record<string, string>> = PAGES,
      given: Partial<Release> = {},
    ): Promise<Release> {
      const wanted = await newRelease(client(), site, texts, given);
      if (name !== "digitalocean" || !wanted.source) return wanted;
      const address = git.create(`${site.name}-${wanted.id}`, { ...texts });
      return { ...wanted, source: { ...wanted.source, url: address } };
    }

    /** Publishes with a new client for each attempt, as deliveries of the queue do. */
    async function publish(wanted: Release, { requests = 400, url = standin.url } = {}): Promise<string> {
      for (let attempt = 0; attempt < 30; attempt += 1) {
        const provider = client({ requests, url });
        try {
          const outcome = await provider.publish(access, wanted, provider.budget);
          if (outcome !== "unfinished") return outcome.deploymentId;
        } catch (error) {
          if (!(error instanceof HostingFailure && error.kind === "unavailable")) throw error;
        }
      }
      throw new Error("Publishing does not end");
    }

    const over = (site: HostedSite, id: string, url = standin.url) =>
      until(
        () => client({ url }).state(access, site, id),
        ({ outcome }) => outcome !== "pending",
      );

    it("tells the account of a credential, and refuses one that the provider refuses", async () => {
      standin.reset();
      const account = await client().account(access);
      expect(account.id).not.toBe("");
      expect(await client().account(access)).toEqual(account);
      expect(await failureOf(client().account({ ...access, token: "another" }))).toMatchObject({
        kind: "unauthorized",
      });
    });

    it("makes a site, finds it by its name, and takes it down twice", async () => {
      standin.reset();
      const site = await newSite();
      if (isMadeByPublishing) await publish(await release(site));
      expect(await client().findSite(access, site.name)).toMatchObject({ name: site.name });
      expect(await client().findSite(access, `${site.name}x`)).toBeUndefined();
      await client().removeSite(access, site);
      await client().removeSite(access, site);
      expect(await client().findSite(access, site.name)).toBeUndefined();
      expect(await standin.sites()).not.toContain(site.name);
    });

    it.skipIf(isMadeByPublishing)("says that a name is taken", async () => {
      standin.reset();
      const { name: taken } = await newSite();
      const failure = await failureOf(client().createSite(access, { name: taken, framework: null }));
      expect(failure.kind).toBe("name_taken");
    });

    it("publishes files with their variables, a change at the same site, and an earlier deployment again", async () => {
      standin.reset();
      const site = await newSite();
      const id = await publish(await release(site));
      const state = await over(site, id);
      expect(state).toMatchObject({ outcome: "success", error: null });
      expect(URL.parse(state.url ?? "")?.hostname).toContain(site.name);
      await expectSeen(site, PAGES);
      expect(standin.calls.some(({ body }) => body.includes(ENV_CANARY))).toBe(true);
      expect(await client().logs(access, site, id)).toEqual(expect.any(Array));
      // It is too late, which is no failure.
      await client().cancel(access, site, id);

      const changed = { ...PAGES, "index.html": "<h1>Again</h1>" };
      const second = await publish(await release(site, changed));
      expect((await over(site, second)).outcome).toBe("success");
      await expectSeen(site, changed);
      const back = await publish(await release(site, PAGES, { again: id }));
      expect((await over(site, back)).outcome).toBe("success");
      await expectSeen(site, PAGES);
    });

    it("cancels what is under way", async () => {
      const { url } = slow;
      const site = await newSite(url);
      const id = await publish(await release(site), { url });
      await client({ url }).cancel(access, site, id);
      expect(await over(site, id, url)).toMatchObject({ outcome: AFTER_CANCEL[name] });
    });

    it("makes one deployment, which it finds again, whichever call's answer is lost", async () => {
      standin.reset();
      await publish(await release(await newSite(), { "index.html": `counted ${made}` }));
      const count = standin.calls.length;
      for (let call = 0; call < count; call += 1) {
        standin.reset();
        const site = await newSite();
        const wanted = await release(site, { "index.html": `without ${call}` });
        standin.fail(standin.calls.length + call, { kind: "reset" });
        const id = await publish(wanted);
        standin.reset();
        const again = await publish(wanted);
        // An upload to Cloudflare replaces the one before.
        const found = name === "cloudflare" ? [id, 1] : [again, await standin.deployments(site.name)];
        expect(found).toEqual([id, 1]);
        expect((await standin.sites()).filter((each) => each === site.name)).toHaveLength(1);
      }
    });

    it.skipIf(name === "digitalocean")(
      "goes on where its budget ended, and sends no file twice",
      async () => {
        standin.reset();
        const site = await newSite();
        const texts = Object.fromEntries(
          Array.from({ length: 40 }, (_, index) => [`p/${index}.txt`, `${name} page ${index} of ${made}`]),
        );
        const id = await publish(await release(site, { "index.html": "40 pages", ...texts }), {
          requests: 12,
        });
        const uploads = standin.calls.flatMap(uploadsIn);
        expect(uploads.length).toBe(name === "heroku" ? 1 : 41);
        expect(new Set(uploads).size).toBe(uploads.length);
        await over(site, id);
        await expectSeen(site, texts);
      },
    );

    it("takes no more requests than its budget", async () => {
      const site = await newSite();
      standin.reset();
      const provider = client({ requests: 2 });
      await provider.publish(access, await release(site), provider.budget).catch(() => {});
      expect(standin.calls.length).toBeLessThanOrEqual(2);
      expect(await failureOf(client({ requests: 0 }).account(access))).toMatchObject({
        kind: "unavailable",
        retryAfterSeconds: 0,
      });
    });

    it("shows no secret that a provider repeats", async () => {
      const encoded = encodeURIComponent(TOKEN);
      const message = `${"x".repeat(200)} ${TOKEN} ${encoded} ${ENV_CANARY} ${JSON.stringify(TOKEN)}`;
      standin.reset();
      const site = await newSite();
      standin.reset();
      standin.fail(-1, { kind: "status", status: 400, body: JSON.stringify({ message }) });
      const provider = client();
      const failure = await failureOf(provider.publish(access, await release(site), provider.budget));
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)}`;
      expect(shown).not.toContain(TOKEN);
      expect(shown).not.toContain(ENV_CANARY);
      expect(failure.message.length).toBeLessThan(400);
      expect(failure.cause).toBeUndefined();
    });
  },
);
