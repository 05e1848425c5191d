import { describe, expect, it } from "vitest";
import { HostingFailure } from "#src/platform/hosting/failure.ts";
import type {
  HostedSite,
  Hosting,
  HostingAccess,
  HostingName,
  Release,
} from "#src/platform/hosting/hosting.ts";
import type { Fault } from "./fake-server.ts";
import { ENV_CANARY, newRelease } from "./release.ts";

/** What a suite sees of a provider, and does to it. */
export interface HostingControls {
  /** Calls since the last reset, as `GET /path`. */
  calls(): string[];
  /** Does it to the call with this number, counted from the last reset; -1 is every call. */
  fail(call: number, fault: Fault): void;
  /** Heals, and begins to count anew. */
  reset(): void;
  sites(): string[];
  /** How many deployments a site has. */
  deployments(site: HostedSite): number;
  /** What people see. */
  served(site: HostedSite): Readonly<Record<string, string>> | undefined;
  /** Digests that were uploaded, in order. */
  uploads(): readonly string[];
  /** The variables of the last program. */
  env(): Readonly<Record<string, unknown>>;
}

export interface HostingUnderTest {
  hosting: () => Hosting;
  name: HostingName;
  access: () => HostingAccess;
  controls: () => HostingControls;
  /** Fetches the sources itself, and serves what it fetched. */
  fromGit?: boolean;
  /** Sites are made by their first publication. */
  madeByPublishing?: boolean;
}

const PAGES = {
  "index.html": "<h1>Hello</h1>",
  "assets/a b.js": "let a;",
  "copy/index.html": "<h1>Hello</h1>",
};

let made = 0;

async function failureOf(work: Promise<unknown>): Promise<HostingFailure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HostingFailure) return error;
  throw new Error(`No HostingFailure: ${String(error)}`);
}

/** What every client of a provider does. */
export function hostingContract(under: HostingUnderTest): void {
  const { name, fromGit = false, madeByPublishing = false } = under;
  const client = (requests = 400) => under.hosting().provider(name, { requests });
  const { access, controls } = under;

  async function newSite(): Promise<HostedSite> {
    made += 1;
    const provider = client();
    return provider.createSite(access(), {
      name: provider.siteName("Ada's site", `n${made}`),
      framework: null,
    });
  }
  async function release(
    site: HostedSite,
    texts: Readonly<Record<string, string>> = PAGES,
    given: Partial<Release> = {},
  ) {
    return newRelease(client(), site, texts, given);
  }
  /** Publishes with a new client for each attempt, as deliveries of the queue do. */
  async function publish(wanted: Release, requests = 400): Promise<string> {
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const provider = client(requests);
      try {
        const outcome = await provider.publish(access(), wanted, provider.budget);
        if (outcome !== "unfinished") return outcome.deploymentId;
      } catch (error) {
        if (!(error instanceof HostingFailure && error.kind === "unavailable")) throw error;
      }
    }
    throw new Error("Publishing does not end");
  }

  describe(`the client of ${name}`, () => {
    it("tells the account of a credential", async () => {
      controls().reset();
      const account = await client().account(access());
      expect(account.id).not.toBe("");
      expect(await client().account(access())).toEqual(account);
    });

    it("refuses a credential that the provider refuses", async () => {
      controls().reset();
      const failure = await failureOf(client().account({ ...access(), token: "another" }));
      expect(failure.kind).toBe("unauthorized");
    });

    it("makes a site, finds it by its name, and takes it down twice", async () => {
      controls().reset();
      const site = await newSite();
      if (madeByPublishing) await publish(await release(site));
      expect(await client().findSite(access(), site.name)).toMatchObject({ name: site.name });
      expect(await client().findSite(access(), `${site.name}x`)).toBeUndefined();
      await client().removeSite(access(), site);
      await client().removeSite(access(), site);
      expect(await client().findSite(access(), site.name)).toBeUndefined();
      expect(controls().sites()).not.toContain(site.name);
    });

    it.skipIf(madeByPublishing)("says that a name is taken", async () => {
      controls().reset();
      const site = await newSite();
      const failure = await failureOf(client().createSite(access(), { name: site.name, framework: null }));
      expect(failure.kind).toBe("name_taken");
    });

    it("publishes files with their variables, and says where they are", async () => {
      controls().reset();
      const site = await newSite();
      const id = await publish(await release(site));
      const state = await client().state(access(), site, id);
      expect(state).toMatchObject({ outcome: "success", error: null });
      expect(URL.parse(state.url ?? "")?.hostname).toContain(site.name);
      expect(controls().served(site)).toEqual(fromGit ? { "index.html": "from git" } : PAGES);
      expect(controls().env()["GREETING"]).toBe(ENV_CANARY);
      expect(await client().logs(access(), site, id)).toEqual(expect.any(Array));
      await client().cancel(access(), site, id);
    });

    it("publishes a change at the same site", async () => {
      controls().reset();
      const site = await newSite();
      await publish(await release(site));
      const id = await publish(await release(site, { ...PAGES, "index.html": "<h1>Again</h1>" }));
      expect((await client().state(access(), site, id)).outcome).toBe("success");
      const page = fromGit ? "from git" : "<h1>Again</h1>";
      expect(controls().served(site)).toMatchObject({ "index.html": page });
    });

    it("publishes an earlier deployment again", async () => {
      controls().reset();
      const site = await newSite();
      const first = await publish(await release(site));
      const again = await publish(await release(site, PAGES, { again: first }));
      expect((await client().state(access(), site, again)).outcome).toBe("success");
    });

    it("finds a deployment again that it has made", async () => {
      controls().reset();
      const site = await newSite();
      const wanted = await release(site);
      const id = await publish(wanted);
      expect(await publish(wanted)).toBe(id);
      expect(controls().deployments(site)).toBe(1);
    });

    it.each<Fault>([
      { kind: "reset" },
      { kind: "garbage" },
      { kind: "status", status: 502 },
      { kind: "slow" },
    ])("makes one deployment, whichever call breaks: $kind", async (fault) => {
      controls().reset();
      await publish(await release(await newSite(), { "index.html": `counted ${made}` }));
      const count = controls().calls().length;
      for (let call = 0; call < count; call += 1) {
        controls().reset();
        const site = await newSite();
        const wanted = await release(site, { "index.html": `${fault.kind} ${call}` });
        const begun = controls().calls().length;
        controls().fail(begun + call, fault);
        const id = await publish(wanted);
        controls().reset();
        expect(await publish(wanted)).toBe(id);
        expect(controls().deployments(site)).toBe(1);
        expect(
          controls()
            .sites()
            .filter((each) => each === site.name),
        ).toHaveLength(1);
      }
    });

    it.skipIf(fromGit)("goes on where its budget ended, and sends no file twice", async () => {
      controls().reset();
      const site = await newSite();
      const texts = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`p/${index}.txt`, `${name} page ${index} of ${made}`]),
      );
      const before = controls().uploads().length;
      await publish(await release(site, texts), 12);
      const uploads = controls().uploads().slice(before);
      expect(new Set(uploads).size).toBe(uploads.length);
      expect(controls().deployments(site)).toBe(1);
      expect(controls().served(site)).toEqual(texts);
    });

    it("takes no more requests than its budget", async () => {
      const site = await newSite();
      controls().reset();
      const provider = client(2);
      await provider.publish(access(), await release(site), provider.budget).catch(() => {});
      expect(controls().calls().length).toBeLessThanOrEqual(2);
      expect(await failureOf(client(0).account(access()))).toMatchObject({
        kind: "unavailable",
        retryAfterSeconds: 0,
      });
    });

    it.each([
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
    ] as [Fault, object][])("says what a failure means: %j", async (fault, meaning) => {
      controls().reset();
      controls().fail(0, fault);
      expect(await failureOf(client().account(access()))).toMatchObject(meaning);
      controls().reset();
    });

    it("shows no secret that a provider repeats", async () => {
      const { token } = access();
      const encoded = encodeURIComponent(token);
      const message = `${"x".repeat(200)} ${token} ${encoded} ${ENV_CANARY} ${JSON.stringify(token)}`;
      const site = await newSite();
      for (const body of [
        { message },
        { error: { message } },
        { errors: [{ code: 1, message }] },
        { error: message },
      ]) {
        controls().reset();
        controls().fail(-1, { kind: "status", status: 400, body: JSON.stringify(body) });
        const provider = client();
        const failure = await failureOf(provider.publish(access(), await release(site), provider.budget));
        controls().reset();
        const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)}`;
        expect(shown).not.toContain(token);
        expect(shown).not.toContain(ENV_CANARY);
        expect(failure.message.length).toBeLessThan(400);
        expect(failure.cause).toBeUndefined();
      }
    });
  });
}
