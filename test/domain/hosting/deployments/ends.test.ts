import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deploymentCredentials, deployments, jobs, projects, users } from "#src/db/schema/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { fileDatabase } from "#test/support/database.ts";
import { DeploymentWorld } from "./support/deployment-world.ts";

const { db } = await fileDatabase();
let world: DeploymentWorld;
beforeEach(async () => {
  world = await DeploymentWorld.open(db);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Interval at which an executor renews its lease, and hears of what was requested since. */
const BEAT_MS = 3_000;
const withoutHeartbeat = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });

const NO_ACCOUNT = "Connect your Netlify account first";

const disconnect = () =>
  db.delete(deploymentCredentials).where(eq(deploymentCredentials.userId, world.person.id));

/** What is left of deployments and sites. */
const left = async () => [await world.rows(), await world.sites(), world.provider.sites.size];

/** A deployment is deleted, and what follows from that happens. */
async function takeDown(id: string): Promise<void> {
  await world.delete(id);
  await world.deliver();
}

const outcomes = () => [...world.provider.deployments.values()].map(({ outcome }) => outcome);

/** Brings a deployment to where the provider has it and is not done. */
async function published(): Promise<string> {
  world.provider.pollsUntilReady = 1_000;
  const { id } = await world.request();
  await world.deliverNext();
  expect(await world.row(id)).toMatchObject({ status: "deploying" });
  expect(await world.job(id)).toMatchObject({ isHeld: false });
  return id;
}

/** Has the executor of a deployment, which works now, renew its lease. */
async function renewal(id: string): Promise<void> {
  const heldUntil = async () =>
    (await db.select().from(jobs).where(eq(jobs.key, id)))[0]?.leaseUntil?.getTime();
  const before = await heldUntil();
  await vi.advanceTimersByTimeAsync(BEAT_MS);
  await vi.waitUntil(async () => (await heldUntil()) !== before);
}

describe("a deployment is cancelled", () => {
  it("before it begins: nothing is made, no credential is needed, and its turn is not waited for", async () => {
    const first = await published();
    const { id } = await world.request();
    await disconnect();
    const calls = world.provider.calls.length;
    await world.cancel(id);
    await world.run(id);
    expect(await world.row(id)).toMatchObject({ status: "cancelled", error: null });
    expect(world.provider.calls).toHaveLength(calls);
    expect(await world.row(first)).toMatchObject({ status: "deploying" });
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["when that is asked for", (id) => world.cancel(id)],
    [
      "when its person may no longer deploy",
      () => db.update(users).set({ isActive: false }).where(eq(users.id, world.person.id)),
    ],
  ])("between the build and the upload, %s", async (_, end) => {
    const { id } = await world.request();
    world.provider.before("createSite", () => end(id));
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "cancelled" });
    expect(world.provider.deployments.size).toBe(0);
  });

  it("by its executor's next renewal, when its person may no longer deploy", async () => {
    withoutHeartbeat();
    const { id } = await world.request();
    const calls = world.provider.calls.length;
    const signals = vi.spyOn(AbortSignal, "any");
    world.files.beforeRead = async () => {
      world.files.beforeRead = () => undefined;
      await db.update(users).set({ isActive: false }).where(eq(users.id, world.person.id));
      await vi.advanceTimersByTimeAsync(BEAT_MS);
      await vi.waitUntil(() =>
        signals.mock.results.some((result) => result.type === "return" && result.value.aborted),
      );
    };
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "cancelled" });
    expect([world.provider.calls.length - calls, world.archives.objects.size]).toEqual([0, 0]);
  });

  it("while it is uploaded: at the provider, also when the answer of the upload is lost", async () => {
    withoutHeartbeat();
    world.provider.pollsUntilReady = 1_000;
    const { id } = await world.request();
    world.provider.fail("create", { kind: "unavailable", isLost: true });
    world.provider.before("create", async () => {
      await world.cancel(id);
      await renewal(id);
    });
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "cancelled" });
    expect(outcomes()).toEqual(["cancelled"]);
  });

  it("while the provider works, though calls fail meanwhile", async () => {
    const id = await published();
    world.provider.fail("cancel", { kind: "unavailable" }, 10);
    await world.cancel(id);
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "cancelled" });
    expect(outcomes()).toEqual(["cancelled"]);
  });

  it("at once, also when it is asked for just before a long pause", async () => {
    const id = await published();
    world.provider.fail("state", { kind: "rate_limited", retryAfter: 3_000 });
    world.provider.before("state", () => world.cancel(id));
    await world.passPause(id);
    await world.run(id);
    expect(await world.job(id)).toMatchObject({ isDue: true, isHeld: false });
    expect(world.waiting.at(-1)?.delaySeconds).toBeUndefined();
  });

  it("not, when the provider is faster", async () => {
    const id = await published();
    world.provider.obeys = false;
    for (const each of world.provider.deployments.values()) each.polls = 1;
    await world.cancel(id);
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "success" });
    await expect(world.cancel(id)).rejects.toMatchObject({ code: "conflict" });
  });

  it("when the site was deleted by hand", async () => {
    const id = await published();
    world.provider.sites.clear();
    await world.cancel(id);
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "cancelled" });
  });
});

describe("at its time limit", () => {
  it.each([false, true])("a deployment is cancelled at the provider (which fails: %s)", async (fails) => {
    const id = await published();
    if (fails) world.provider.fail("state", { kind: "unavailable" }, 100);
    await world.passLimit(id);
    await world.deliver();
    expect(await world.row(id)).toMatchObject({
      status: "failed",
      error: "The provider did not finish within 600 s",
    });
    expect(outcomes()).toEqual(["cancelled"]);
  });
});

describe("a deletion", () => {
  it("of one that runs cancels it first, and keeps what people see", async () => {
    const live = await world.deploy("1");
    const id = await published();
    await takeDown(id);
    expect(await world.find(id)).toBeUndefined();
    expect(outcomes()).toEqual(["success", "cancelled"]);
    expect(await world.sites()).toMatchObject([{ liveDeploymentId: live.id }]);
    expect(world.provider.count("removeSite")).toBe(0);
  });

  it("of the only one takes the site down that it has made", async () => {
    const id = await published();
    await takeDown(id);
    expect(await left()).toEqual([[], [], 0]);
    const log = await auditEntries(db, { resourceId: id });
    expect(log).toMatchObject([{ action: "deployment.deleted", userId: world.person.id }]);
  });

  it("is repeated until the site is not found any more, whether calls fail or are answered", async () => {
    const { id } = await world.deploy("1");
    world.provider.fail("removeSite", { kind: "unavailable" }, 20);
    world.provider.ignoredRemovals = 3;
    await takeDown(id);
    expect(await left()).toEqual([[], [], 0]);
  });

  it("ends with the reason after about a day, and can be requested again", async () => {
    const { id } = await world.deploy("1");
    world.provider.fail("removeSite", { kind: "unavailable" }, 1_000);
    await takeDown(id);
    expect(await world.row(id)).toMatchObject({ status: "failed", error: "It failed: unavailable" });
    expect(world.provider.count("removeSite")).toBe(40);
    world.provider.heal();
    await takeDown(id);
    expect(await left()).toEqual([[], [], 0]);
  });

  it("waits for the one that runs, and what is requested then waits for it", async () => {
    const { id: live } = await world.deploy("1");
    const running = await published();
    await world.delete(live);
    const { id: later } = await world.request();
    await world.run(live);
    await world.run(later);
    expect((await world.rows()).map(({ id, status }) => [id, status])).toEqual([
      [live, "deleting"],
      [running, "deploying"],
      [later, "pending"],
    ]);
    world.provider.pollsUntilReady = 1;
    for (const each of world.provider.deployments.values()) each.polls = 0;
    await world.deliver();
    expect((await world.rows()).map(({ id, status }) => [id, status])).toEqual([
      [running, "success"],
      [later, "success"],
    ]);
    expect(world.provider.sites.size).toBe(1);
  });

  it("needs no credential where nothing is at the provider", async () => {
    const { id } = await world.request();
    await disconnect();
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "failed", error: NO_ACCOUNT });
    await takeDown(id);
    expect(await left()).toEqual([[], [], 0]);
  });

  it("finds a site whose creation had an unknown outcome", async () => {
    const { id } = await world.request();
    world.provider.fail("createSite", { kind: "unavailable", isLost: true });
    await world.deliverNext();
    expect(world.provider.sites.size).toBe(1);
    await takeDown(id);
    expect(await left()).toEqual([[], [], 0]);
  });

  it("does not take a site with it for which a request is stored at the same moment", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id } = await world.request();
      await world.cancel(id);
      await world.run(id);
      await world.delete(id);
      const [requested] = await Promise.all([world.request(), world.run(id), world.run(id)]);
      expect(await world.find(requested.id)).toBeDefined();
      await world.deliver();
      expect(await world.row(requested.id)).toMatchObject({ status: "success" });
      await takeDown(requested.id);
    }
  });
});

describe("what is deleted meanwhile", () => {
  it("the project: a deployment that waits fails with a sentence, and a site can still be taken down", async () => {
    const { id: live } = await world.deploy("1");
    const { id } = await world.request();
    await db.delete(projects).where(eq(projects.id, world.projectId));
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "failed", error: "The project was deleted" });
    expect(world.provider.sites.size).toBe(1);
    await takeDown(live);
    expect(world.provider.sites.size).toBe(0);
    expect((await world.rows()).map((row) => row.id)).toEqual([id]);
  });

  it("the project, while the provider has the deployment: it is published", async () => {
    const id = await published();
    await db.delete(projects).where(eq(projects.id, world.projectId));
    for (const each of world.provider.deployments.values()) each.polls = 0;
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "success", projectId: null });
  });

  it("the credential: it ends with a sentence", async () => {
    const id = await published();
    await disconnect();
    await world.deliver();
    expect(await world.row(id)).toMatchObject({ status: "failed", error: NO_ACCOUNT });
  });

  it("the account: another one never touches the site, and the right one of two is used", async () => {
    const id = await published();
    await world.connect("account-2");
    await world.deliver();
    expect(await world.row(id)).toMatchObject({
      status: "failed",
      error: "The site is in another account at Netlify than the one that is connected now",
    });
    await expect(world.redeploy(id)).rejects.toMatchObject({ code: "conflict" });
    await world.connect("account-1");
    await world.connect("account-2", world.projectId);
    await takeDown(id);
    expect([await world.rows(), world.provider.sites.size]).toEqual([[], 0]);
  });

  it("the site, by hand: the next deployment makes it again", async () => {
    await world.deploy("1");
    world.provider.sites.clear();
    expect(await world.deploy("2")).toMatchObject({ status: "success", error: null });
    expect(world.provider.sites.size).toBe(1);
    const [site] = await world.sites();
    expect(world.provider.shown(site?.name ?? "")).toEqual({ "index.html": "2", "a.txt": "2" });
  });

  it("the row of a deployment that an executor holds: it writes nothing", async () => {
    const { id } = await world.request();
    world.provider.before("create", () => db.delete(deployments).where(sql`id = ${id}::uuid`));
    await world.deliver();
    expect(await world.rows()).toEqual([]);
  });
});
