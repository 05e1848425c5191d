import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fileDatabase } from "#test/support/database.ts";
import { killed } from "#test/support/mortal.ts";
import { DeploymentWorld } from "./support/deployment-world.ts";

const { db } = await fileDatabase();
beforeAll(() => {
  // A dead program has no heartbeat.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** So far apart are the calls at which a program is killed, outside of `npm run soak`. */
const STEPS = [2, 4] as const;

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
    const calls = await killed(async () => {
      const world = await DeploymentWorld.open(db);
      await world.request();
      const after = async () => {
        await world.recover();
        await expectWhole(world, ["1"]);
      };
      return { program: () => world.deliver(), after };
    }, STEPS);
    expect(calls).toBeGreaterThan(30);
  });

  it("leaves a redeployment with the bytes of the earlier one", async () => {
    const calls = await killed(async () => {
      const world = await DeploymentWorld.open(db);
      const { id } = await world.deploy("1");
      world.write("2");
      await world.redeploy(id);
      const after = async () => {
        await world.recover();
        await expectWhole(world, ["1", "1"]);
      };
      return { program: () => world.deliver(), after };
    }, STEPS);
    expect(calls).toBeGreaterThan(5);
  });

  it("leaves the one that waits for it due, as soon as another executor has ended it", async () => {
    const calls = await killed(async () => {
      const world = await DeploymentWorld.open(db);
      const { id: first } = await world.request();
      const { id: second } = await world.request();
      world.waiting = [];
      await world.run(second);
      const after = async () => {
        // Until it is over, by its own job alone.
        for (let delivery = 0; delivery < 5; delivery += 1) {
          await world.passTime(first);
          await world.run(first);
        }
        expect(await world.row(first)).toMatchObject({ status: "success" });
        expect(await world.job(second)).toMatchObject({ isDue: true });
        await world.recover();
        await expectWhole(world, ["1", "1"]);
      };
      return { program: () => world.run(first), after };
    }, STEPS);
    expect(calls).toBeGreaterThan(5);
  });

  it("takes the site down in the end, and the row goes", async () => {
    const calls = await killed(async () => {
      const world = await DeploymentWorld.open(db);
      const { id } = await world.deploy("1");
      await world.delete(id);
      const after = async () => {
        await world.recover();
        expect([await world.rows(), await world.sites()]).toEqual([[], []]);
        expect(world.provider.sites.size).toBe(0);
      };
      return { program: () => world.deliver(), after };
    }, STEPS);
    expect(calls).toBeGreaterThan(5);
  });

  it("cancels at the provider what the provider has", async () => {
    const calls = await killed(async () => {
      const world = await DeploymentWorld.open(db);
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
    }, STEPS);
    expect(calls).toBeGreaterThan(5);
  });
});
