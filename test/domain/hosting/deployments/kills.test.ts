import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openDatabase } from "#test/support/database.ts";
import { runMortal } from "#test/support/mortal.ts";
import { seeded } from "#test/support/random.ts";
import { DeploymentWorld } from "./support/deployment-world.ts";
import { IS_SOAK } from "#test/support/soak.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
  // A dead program has no heartbeat.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

/** In the long form (`npm run soak`) every call is killed both before and after it is done; else one of both, by the seed. */
/** More calls than any of the programs has. */
const CALLS = 100;

/** Kills a program at each of its calls, and checks what is so in the end. Returns the number of calls. */
async function killedEverywhere(
  prepare: () => Promise<{ program: () => Promise<unknown>; after: () => Promise<void> }>,
): Promise<number> {
  const random = seeded(inject("fuzzSeed"));
  for (let call = 1; call < CALLS; call += 1) {
    let isDead = false;
    for (const isDone of IS_SOAK ? [false, true] : [random.chance(0.5)]) {
      const { program, after } = await prepare();
      isDead = await runMortal({ call, isDone }, program);
      await after();
    }
    if (!isDead) return call - 1;
  }
  throw new Error(`The program has more than ${CALLS} calls`);
}

/** What is so in the end, wherever the executors were killed. */
async function expectWhole(world: DeploymentWorld, versions: readonly string[]): Promise<void> {
  const rows = await world.rows();
  expect(rows.map(({ status, error }) => [status, error])).toEqual(versions.map(() => ["success", null]));
  const [site, ...others] = await world.sites();
  expect(others).toEqual([]);
  expect(site).toMatchObject({ liveDeploymentId: rows.at(-1)?.id });
  const { provider } = world;
  expect(provider.sites.size).toBe(1);
  const published = [...provider.deployments.values()];
  expect(published.map(({ release }) => release)).toEqual(rows.map(({ id }) => id));
  const shown = provider.shown(site?.name ?? "");
  expect(shown).toEqual({ "index.html": versions.at(-1), "a.txt": versions.at(-1) });
  for (const { id, bundle } of rows) {
    expect((await world.lines(id)).length).toBeGreaterThan(2);
    // The row's files are there, and nothing else is named.
    expect(world.archives.objects.has(`${bundle?.prefix}manifest.json`)).toBe(true);
    expect(world.archives.objects.has(`${bundle?.prefix}files.pack`)).toBe(true);
  }
}

describe("an executor that is killed at any of its calls", () => {
  it("leaves a first deployment that is published once, at one site", async () => {
    const calls = await killedEverywhere(async () => {
      const world = await DeploymentWorld.open(database.db);
      await world.request();
      const after = async () => {
        await world.recover();
        await expectWhole(world, ["1"]);
      };
      return { program: () => world.deliver(), after };
    });
    expect(calls).toBeGreaterThan(30);
  });

  it("leaves a redeployment with the bytes of the earlier one", async () => {
    const calls = await killedEverywhere(async () => {
      const world = await DeploymentWorld.open(database.db);
      const { id } = await world.deploy("1");
      world.write("2");
      await world.redeploy(id);
      const after = async () => {
        await world.recover();
        await expectWhole(world, ["1", "1"]);
      };
      return { program: () => world.deliver(), after };
    });
    expect(calls).toBeGreaterThan(5);
  });

  it("takes the site down in the end, and the row goes", async () => {
    const calls = await killedEverywhere(async () => {
      const world = await DeploymentWorld.open(database.db);
      const { id } = await world.deploy("1");
      await world.delete(id);
      const after = async () => {
        await world.recover();
        expect([await world.rows(), await world.sites()]).toEqual([[], []]);
        expect(world.provider.sites.size).toBe(0);
      };
      return { program: () => world.deliver(), after };
    });
    expect(calls).toBeGreaterThan(5);
  });

  it("cancels at the provider what the provider has", async () => {
    const calls = await killedEverywhere(async () => {
      const world = await DeploymentWorld.open(database.db);
      world.provider.pollsUntilReady = 1_000;
      const { id } = await world.request();
      // The site, the files and the deployment are made; then its end is requested.
      await world.deliverNext();
      await world.cancel(id);
      const after = async () => {
        await world.recover();
        expect(await world.row(id)).toMatchObject({ status: "cancelled" });
        expect([...world.provider.deployments.values()]).toMatchObject([{ outcome: "cancelled" }]);
      };
      return { program: () => world.deliver(), after };
    });
    expect(calls).toBeGreaterThan(5);
  });
});
