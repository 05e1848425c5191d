import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eq, sql } from "drizzle-orm";
import { deploymentSites, jobs } from "#src/db/schema/index.ts";
import { keptPrefixes } from "#src/domain/hosting/deployments/queries/bundles.ts";
import { forgotten, over } from "#src/domain/hosting/deployments/queries/endings.ts";
import { appendLines } from "#src/domain/hosting/deployments/queries/logs.ts";
import {
  begun,
  givenToProvider,
  progressed,
  siteKnown,
} from "#src/domain/hosting/deployments/queries/runs.ts";
import { fileDatabase } from "#test/support/database.ts";
import { deploymentOf, DeploymentWorld } from "./support/deployment-world.ts";
import type { ProviderCall, ScriptedFailure } from "./support/scripted-provider.ts";

const { db, trips } = await fileDatabase();
let world: DeploymentWorld;
beforeEach(async () => {
  world = await DeploymentWorld.open(db);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a deployment", () => {
  it("is published, and the next one at the same address", async () => {
    const first = await world.deploy("1");
    expect(first).toMatchObject({ status: "success", version: 1, error: null });
    const second = await world.deploy("2");
    expect(second).toMatchObject({ status: "success", version: 2, url: first.url });
    const [site] = await world.sites();
    expect(site).toMatchObject({ liveDeploymentId: second.id, lastVersion: 2 });
    expect(world.provider.shown(site?.name ?? "")).toEqual({ "index.html": "2", "a.txt": "2" });
    expect(world.provider.sites.size).toBe(1);
    expect(await world.lines(first.id)).toContain("2 files, 2 bytes");
  });

  it("takes two round trips to the database until it is stored, and few until the provider has it", async () => {
    // Renewals of the lease take one each.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await world.deploy("1");
    const start = trips.db;
    const { id } = await world.request();
    const stored = trips.db;
    await world.run(id);
    expect(await world.row(id)).toMatchObject({ status: "deploying" });
    expect([stored - start, trips.db - 1 - stored]).toEqual([2, 10]);
  });

  it("is one of its own for each of three requests at once, which run in turn", async () => {
    const requested = await Promise.all([1, 2, 3].map(() => world.request()));
    expect(requested.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    // The queue delivers them all at once, and each message twice.
    while (world.waiting.length > 0) {
      const batch = world.waiting.splice(0).map(deploymentOf);
      for (const id of batch) await world.passPause(id);
      await Promise.all([...batch, ...batch].map((id) => world.run(id)));
      const working = (await world.rows()).filter(({ status }) => ["building", "deploying"].includes(status));
      expect(working.length).toBeLessThanOrEqual(1);
    }
    await world.recover();
    const rows = await world.rows();
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "success"));
    const order = [...world.provider.deployments.values()].map(({ release }) => release);
    expect(order).toEqual(rows.map(({ id }) => id));
    expect([await world.sites(), world.provider.sites.size]).toMatchObject([[{ lastVersion: 3 }], 1]);
  });
});

const CALLS: ProviderCall[] = ["account", "findSite", "createSite", "find", "create", "state", "logs"];
/** Each with the failure that leaves most behind, and the other failures once. */
const TABLE: ({ call: ProviderCall } & ScriptedFailure)[] = [
  ...CALLS.map((call) => ({ call, kind: "unavailable" as const, isLost: true })),
  { call: "create", kind: "unavailable" },
  { call: "state", kind: "rate_limited", retryAfter: 120 },
];

describe("a call that fails", () => {
  it.each(TABLE)("twice is made again: $call $kind, lost: $isLost", async ({ call, ...failure }) => {
    await world.request();
    // The account is known now; a new credential has to be asked for it.
    if (call === "account") await world.connect("account-1");
    world.provider.fail(call, failure, 2);
    await world.deliver();
    const [row] = await world.rows();
    expect(row).toMatchObject({ status: "success", error: null });
    expect([world.provider.sites.size, world.provider.deployments.size]).toEqual([1, 1]);
  });

  it.each([
    ["createSite", false],
    ["create", false],
    ["create", true],
  ] as const)(
    "always ends the deployment with a sentence: %s, each attempt noted: %s",
    async (call, notes) => {
      const { id } = await world.request();
      world.provider.notesAttempts = notes;
      world.provider.fail(call, { kind: "unavailable" }, 1_000);
      await world.deliver();
      expect(await world.row(id)).toMatchObject({ status: "failed", error: "It failed: unavailable" });
      expect(world.provider.count(call)).toBeLessThanOrEqual(8);
    },
  );

  it("never, but does not take the files either: the time limit ends it", async () => {
    const { id } = await world.request();
    world.provider.isNeverDone = true;
    for (let delivery = 0; delivery < 10; delivery += 1) await world.deliverNext();
    expect(await world.row(id)).toMatchObject({ status: "deploying" });
    await world.passLimit(id);
    await world.deliver();
    const error = "The provider did not take the files within 600 s";
    expect(await world.row(id)).toMatchObject({ status: "failed", error });
  });

  it("is made again after the pause that the provider asks for, longer each time without one", async () => {
    const { id } = await world.request();
    const pauseOf = async () => {
      expect(await world.row(id)).toMatchObject({ error: expect.stringMatching(/^It failed/u) });
      return world.waiting.at(-1)?.delaySeconds;
    };
    world.provider.fail("findSite", { kind: "rate_limited", retryAfter: 900 });
    await world.run(id);
    expect(await pauseOf()).toBe(900);
    const pauses: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await world.passPause(id);
      world.provider.fail("findSite", { kind: "unavailable" });
      await world.run(id);
      pauses.push(await pauseOf());
    }
    expect(pauses).toEqual([8, 16, 32, 64]);
  });

  it.each([
    ["createSite", "refused"],
    ["create", "unauthorized"],
    ["state", "not_found"],
  ] as const)("for good ends the deployment at once: %s %s", async (call, kind) => {
    const { id } = await world.request();
    world.provider.fail(call, { kind });
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "failed", error: `It failed: ${kind}` });
    expect(world.provider.count(call)).toBe(1);
  });
});

describe("a name that is taken", () => {
  it("by somebody else leads to another one", async () => {
    const { id } = await world.request();
    const [before] = await world.sites();
    world.provider.taken.add(before?.name ?? "");
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "success" });
    const [after] = await world.sites();
    expect(after?.name).not.toBe(before?.name);
  });

  it("by a site of the person that is not ours leaves that as it is", async () => {
    const { id } = await world.request();
    const [before] = await world.sites();
    const name = before?.name ?? "";
    const own = { id: "own", name, url: null, account: "account-1", live: undefined };
    world.provider.sites.set("own", own);
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "success" });
    expect([...world.provider.deployments.values()].map(({ site }) => site)).not.toContain("own");
    await world.delete(id);
    await world.deliver();
    expect([...world.provider.sites.keys()]).toEqual(["own"]);
  });
});

describe("an executor that wakes late", () => {
  it("has no effect by any of its stages", async () => {
    const { id } = await world.deploy("1");
    const { id: next } = await world.request();
    const isHeld = sql<boolean>`false`;
    const state = async () => [
      await world.rows(),
      await world.sites(),
      await world.lines(id),
      (await db.select().from(jobs)).map(({ generation }) => generation),
    ];
    const before = await state();
    const [row, waiting] = [await world.row(id), await world.row(next)];
    const [site] = await world.sites();
    if (!site) throw new Error("There is no site");
    for (const status of ["success", "failed"] as const)
      await db.batch(over(db, isHeld, row, { status, error: null, url: "x", kept: 0 }));
    for (const isSiteGone of [true, false]) await db.batch(forgotten(db, isHeld, row, { isSiteGone }));
    await db.batch([
      ...begun(db, isHeld, waiting),
      progressed(db, isHeld, row, { status: "deploying" }),
      givenToProvider(db, isHeld, waiting),
      siteKnown(db, isHeld, site, { name: "other" }),
      appendLines(db, isHeld, row, ["a line"]),
    ]);
    expect(await state()).toEqual(before);
  });

  it("leaves the end to the one that took over in the middle of its upload", async () => {
    const { id } = await world.request();
    world.provider.before("create", async () => {
      await world.passTime();
      await world.run(id);
    });
    await world.deliver();
    await world.recover();
    expect(await world.row(id)).toMatchObject({ status: "success" });
    expect(world.provider.sites.size).toBe(1);
  });
});

describe("a deployment that waits for its turn", () => {
  it("is due in the moment in which the one before it ends, and is published", async () => {
    const { id: first } = await world.request();
    world.provider.pollsUntilReady = 100;
    await world.run(first);
    const { id: second } = await world.request();
    await world.run(second);
    expect(await world.row(second)).toMatchObject({ status: "pending" });
    expect(world.waiting.at(-1)).toMatchObject({ delaySeconds: 30 });
    expect(await world.job(second)).toMatchObject({ isDue: false });
    for (const each of world.provider.deployments.values()) each.polls = 0;
    world.waiting = [];
    await world.passPause(first);
    await world.run(first);
    expect(await world.row(first)).toMatchObject({ status: "success" });
    expect(await world.job(second)).toMatchObject({ isDue: true, isHeld: false });
    expect(world.waiting.map((message) => [deploymentOf(message), message.delaySeconds])).toEqual([
      [second, undefined],
    ]);
  });

  it("begins alone: a site is not taken down while the next one begins", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id: live } = await world.deploy("1");
      const { id: next } = await world.request();
      await world.delete(live);
      const isHeld = sql<boolean>`true`;
      const begin = async (id: string) => db.batch(begun(db, isHeld, await world.row(id)));
      const begins = await Promise.all([begin(next), begin(live)]);
      expect(begins.flatMap(([, rows]) => rows).length).toBeLessThanOrEqual(1);
      await world.recover();
      await world.delete(next);
      await world.deliver();
      expect(await world.rows()).toEqual([]);
    }
  });

  it("for another build of its project is published when that one has its files", async () => {
    const { id: first } = await world.request();
    await world.connect("account-2");
    const { id: second } = await world.request();
    expect(await world.sites()).toHaveLength(2);
    world.waiting = [];
    world.provider.pollsUntilReady = 100;
    await world.connect("account-1", world.projectId);
    world.files.beforeRead = async () => {
      world.files.beforeRead = () => undefined;
      await world.run(second);
      expect(await world.row(second)).toMatchObject({ status: "pending" });
    };
    await world.run(first);
    expect(await world.row(first)).toMatchObject({ status: "deploying" });
    expect(await world.job(second)).toMatchObject({ isDue: true });
    expect(world.waiting.filter(({ delaySeconds }) => delaySeconds === undefined).map(deploymentOf)).toEqual([
      second,
    ]);
  });
});

describe("kept files", () => {
  it("are those of the newest successful ones, and of the one that people see", async () => {
    const made: string[] = [];
    for (const version of ["1", "2", "3", "4"]) made.push((await world.deploy(version)).id);
    const kept = async () =>
      (await world.rows()).filter(({ bundle }) => bundle !== null).map(({ version }) => version);
    expect(await kept()).toEqual([3, 4]);
    await expect(world.redeploy(made[0] ?? "")).rejects.toMatchObject({ code: "conflict" });
    // The third one again: its files are shared.
    const { id: again } = await world.redeploy(made[2] ?? "");
    world.write("5");
    await world.deliver();
    const [site] = await world.sites();
    expect(site?.liveDeploymentId).toBe(again);
    expect(world.provider.shown(site?.name ?? "")).toEqual({ "index.html": "3", "a.txt": "3" });
    const rows = await world.rows();
    const prefixes = rows.flatMap(({ bundle }) => bundle?.prefix ?? []);
    expect(await keptPrefixes(db, [...prefixes, "deployments/none/none/"])).toEqual(new Set(prefixes));
    expect(rows.at(-1)?.bundle).toEqual(rows[2]?.bundle ?? rows.at(-1)?.bundle);
  });

  it("of one that failed are not kept", async () => {
    world.provider.end = "failed";
    expect(await world.deploy("1")).toMatchObject({ status: "failed", error: "The build failed" });
    const [row] = await world.rows();
    expect(row?.bundle).toBeNull();
  });
});

describe("a redeployment", () => {
  it("of a deleted container's deployment goes to the same site", async () => {
    const { id, siteId } = await world.deploy("1");
    await db
      .update(deploymentSites)
      .set({ madeFor: `${world.projectId}/${crypto.randomUUID()}` })
      .where(eq(deploymentSites.id, siteId));
    expect(await world.redeploy(id)).toMatchObject({ siteId, version: 2 });
  });
});
