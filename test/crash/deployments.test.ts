import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, it, vi } from "vitest";
import { readAddresses } from "#local/addresses.ts";
import { apiClient } from "#test/support/api-client.ts";
import { seeded } from "#test/support/random.ts";
import { isOver, Lane } from "./support/deployment-traffic.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";

/** `CRASH_KILLS=20` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 2);
const SEED = inject("fuzzSeed");
const PROVIDERS = ["netlify", "vercel", "cloudflare"] as const;
const TOKEN = "standin_crash";

const service = mortalService(() => ({ DEPLOYMENT_POLL_SECONDS: "1" }));

interface SiteView {
  id: string;
  provider: string;
  path: string;
}

interface PublishedView {
  id: string;
  site: string;
  provider: string;
}

/** Asks the stand-in, which dies and lives with the service. */
async function standin<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
  const { hostingUrl } = readAddresses(service.dataDir);
  return (await fetch(`${hostingUrl}${path}`, { headers })).json();
}

const page = async (site: SiteView, name: string) => {
  const { hostingUrl } = readAddresses(service.dataDir);
  return (await fetch(`${hostingUrl}${site.path}${name}`)).text();
};

it(
  `ends every deployment, at one site each, when it is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const random = seeded(SEED);
    let url = await service.start();
    const api = apiClient(url);
    const { token } = await api.signUp();
    const { result } = await standin<{ result: { id: string }[] }>("/cloudflare/client/v4/accounts", {
      authorization: `Bearer ${TOKEN}`,
    });
    const lanes: Lane[] = [];
    for (const provider of PROVIDERS) {
      const metadata = provider === "cloudflare" ? { account_id: result[0]?.id } : {};
      const json = { provider, access_token: TOKEN, metadata };
      expect((await api.call("POST", "/api/deployment-credentials", { token, json })).status).toBe(201);
      const { id: projectId } = await api.newProject(token, provider);
      lanes.push(new Lane({ url: () => url, token, random, projectId, provider }));
    }

    let isStopping = false;
    const work = Promise.all(lanes.map((lane) => lane.run(() => isStopping)));
    work.catch(() => undefined); // also thrown below
    for (let kills = 0; kills < KILLS; kills += 1) {
      await pause(random.between(1_000, 5_000));
      await service.kill(random.chance(0.25) ? "node" : "everything");
      url = await service.start();
    }
    const readyAt = Date.now();
    isStopping = true;
    await work;
    for (const lane of lanes) {
      await vi.waitFor(async () => {
        expect((await lane.list()).filter((view) => !isOver(view))).toEqual([]);
      }, PATIENCE);
    }
    const settledMs = Date.now() - readyAt;

    // Each acknowledged one ended, and one that was deleted is gone.
    for (const lane of lanes) {
      const rows = await lane.list();
      const ids = new Set(rows.map(({ id }) => id));
      const missing = [...lane.texts.keys()].filter((id) => !ids.has(id) && !lane.deleted.has(id));
      expect(missing, "lost deployments").toEqual([]);
      expect(
        rows.filter(({ id }) => !lane.texts.has(id)),
        "deployments that nobody requested",
      ).toEqual([]);
      expect(rows.filter(({ status, error }) => status === "failed" && !error)).toEqual([]);
      await lane.deploy();
    }
    let requested = 0;
    for (const lane of lanes) {
      await vi.waitFor(async () => {
        expect((await lane.list()).filter((view) => !isOver(view))).toEqual([]);
      }, PATIENCE);
      const rows = await lane.list();
      requested += lane.texts.size;
      const live = rows.find(({ status }) => status === "success");
      expect(live?.id, `the last deployment at ${lane.options.provider}: ${rows[0]?.error}`).toBe(
        rows[0]?.id,
      );
      const sites = await sitesOf(lane);
      expect(sites).toHaveLength(1);
      const [site] = sites;
      if (!site || !live) continue;
      const text = lane.texts.get(live.id);
      expect([await page(site, ""), await page(site, "a.txt")]).toEqual([text, text]);
      // An upload to Cloudflare replaces itself, and has no place for our id.
      if (lane.options.provider === "cloudflare") continue;
      const published = await standin<PublishedView[]>("/_standin/deployments");
      const there = published.filter((each) => each.site === site.id).map(({ id }) => id);
      const known = new Set(rows.map(({ deployment_id }) => deployment_id));
      const unknown = there.filter((id) => !known.has(id));
      // Rows that were deleted are not there to name theirs.
      expect(unknown.length, "deployments of no request").toBeLessThanOrEqual(lane.deleted.size);
      const named = rows.flatMap(({ deployment_id }) => deployment_id ?? []);
      expect(named).toHaveLength(new Set(named).size);
    }
    // The site goes with the deployment that people see.
    const [first] = lanes;
    const shown = (await first?.list())?.[0]?.id ?? "";
    await first?.remove(shown);
    await vi.waitFor(async () => expect(await first?.view(shown)).toBeUndefined(), PATIENCE);
    expect((await standin<SiteView[]>("/_standin/sites")).map(({ provider }) => provider).toSorted()).toEqual(
      ["cloudflare", "vercel"],
    );
    process.stderr.write(
      `${KILLS} kills, seed ${SEED}: ${requested} deployments, all over ${settledMs} ms after the last start\n`,
    );
  },
  limitFor(KILLS),
);

async function sitesOf(lane: Lane): Promise<SiteView[]> {
  const sites = await standin<SiteView[]>("/_standin/sites");
  return sites.filter(({ provider }) => provider === lane.options.provider);
}
