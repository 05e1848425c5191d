import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deployments, deploymentSites } from "#src/db/schema/index.ts";
import { sweepDeployments } from "#src/domain/hosting/deployments/index.ts";
import { keptPrefixes } from "#src/domain/hosting/deployments/queries/bundles.ts";
import { Execution, Superseded } from "#src/domain/hosting/deployments/execution.ts";
import {
  claimDeployment,
  endDeployment,
  forgetDeployment,
  releaseDeployment,
  renewDeployment,
} from "#src/domain/hosting/deployments/queries/executors.ts";
import { fileDatabase } from "#test/support/database.ts";
import { deploymentOf, DeploymentWorld } from "./support/deployment-world.ts";
import type { ProviderCall, ScriptedFailure } from "./support/scripted-provider.ts";

const { db } = await fileDatabase();
let world: DeploymentWorld;
beforeEach(async () => {
  world = await DeploymentWorld.open(db);
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
      const { dueAt, error } = await world.row(id);
      expect(error).toMatch(/^It failed/u);
      return Math.round(((dueAt?.getTime() ?? 0) - Date.now()) / 1000);
    };
    world.provider.fail("findSite", { kind: "rate_limited", retryAfter: 900 });
    await world.run(id);
    expect(await pauseOf()).toBeGreaterThan(800);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await world.passPause(id);
      world.provider.fail("findSite", { kind: "unavailable" });
      await world.run(id);
      pauses.push(await pauseOf());
    }
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(new Set(pauses).size).toBe(4);
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
  it("writes nothing once another one has taken over", async () => {
    const { id } = await world.request();
    const late = await claimDeployment(db, id);
    if (!late) throw new Error("Not claimed");
    await world.passTime();
    expect(await claimDeployment(db, id)).toBeDefined();
    const before = [await world.row(id), await world.sites()];
    const deps = { ...world.deps(), db };
    const access = { token: "t", metadata: {}, isStandin: false };
    const reach = { provider: world.provider.client({ requests: 1 }), access };
    const run = new Execution(deps, late, { reach, env: {} });
    await expect(run.record({ status: "deploying" })).rejects.toThrow(Superseded);
    await expect(run.recordSite({ name: "other" })).rejects.toThrow(Superseded);
    await run.log("a line");
    const { deployment } = late;
    expect(await renewDeployment(db, deployment)).toBeUndefined();
    expect(await releaseDeployment(db, deployment, { inSeconds: 0 })).toBeUndefined();
    for (const status of ["success", "failed", "cancelled"] as const)
      expect(await endDeployment(db, deployment, { status, error: null, url: "x" })).toBeUndefined();
    expect(await forgetDeployment(db, deployment)).toBe(false);
    expect([await world.row(id), await world.sites()]).toEqual(before);
    expect(await world.lines(id)).toEqual([]);
  });

  it("leaves the end to the one that took over in the middle of its upload", async () => {
    const { id } = await world.request();
    let second: Promise<unknown> = Promise.resolve();
    world.provider.before("create", async () => {
      await world.passTime();
      second = world.run(id);
      await second;
    });
    await world.deliver();
    await second;
    await world.recover();
    expect(await world.row(id)).toMatchObject({ status: "success", generation: expect.any(Number) });
    expect(world.provider.sites.size).toBe(1);
  });

  it("is waited for by a message that finds it at work", async () => {
    const { id } = await world.request();
    await claimDeployment(db, id);
    expect(await world.run(id)).toEqual({ retryAfterSeconds: 5 });
    await world.passTime();
    expect(await world.run(id)).toBeUndefined();
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "success" });
  });
});

describe("claims", () => {
  it("of a site see one another: it is not taken down while the next one begins", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id: live } = await world.deploy("1");
      const { id: next } = await world.request();
      await world.delete(live);
      await Promise.all([claimDeployment(db, next), claimDeployment(db, live)]);
      const leased = (await world.rows()).filter(({ leaseUntil }) => leaseUntil !== null);
      expect(leased.length).toBeLessThanOrEqual(1);
      await world.recover();
      await world.delete(next);
      await world.deliver();
      expect(await world.rows()).toEqual([]);
    }
  });

  it("of a project build one at a time; the next build is published when the first has its files", async () => {
    const { id: first } = await world.request();
    await world.connect("account-2");
    const { id: second } = await world.request();
    expect(await world.sites()).toHaveLength(2);
    expect(await claimDeployment(db, first)).toMatchObject({ deployment: { status: "building" } });
    expect(await claimDeployment(db, second)).toBeUndefined();
    await world.passTime();
    world.waiting = [];
    world.provider.pollsUntilReady = 100;
    await world.connect("account-1", world.projectId);
    await world.run(first);
    expect(await world.row(first)).toMatchObject({ status: "deploying" });
    expect(world.waiting.map(deploymentOf)).toContain(second);
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

/** What a sweep publishes. */
const swept = async () => {
  world.waiting = [];
  await sweepDeployments(world.deps());
  return world.waiting.map(deploymentOf);
};

describe("the sweep", () => {
  it("finds what a lost message and a dead executor leave, and nothing else", async () => {
    await world.deploy("1");
    expect(await swept()).toEqual([]);
    const { id } = await world.request();
    const { id: second } = await world.request();
    expect(await swept()).toEqual([id]);
    await claimDeployment(db, id);
    expect(await swept()).toEqual([]);
    await world.passTime();
    expect(await swept()).toEqual([id]);
    await world.deliver();
    expect(await world.row(second)).toMatchObject({ status: "success" });
  });

  it("leaves those alone whose pause is not over", async () => {
    const { id } = await world.request();
    const pause = { dueAt: sql`now() + interval '1 h'` };
    await db.update(deployments).set(pause).where(eq(deployments.id, id));
    expect(await swept()).toEqual([]);
  });
});
