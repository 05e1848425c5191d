import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileDatabase } from "#test/support/database.ts";
import { deploymentOf, DeploymentWorld } from "./support/deployment-world.ts";

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
