import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { KnownConnections, SHARD_TABLES } from "#durable-objects/gateway-shard/known-connections.ts";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.GATEWAY_SHARDS;

const NOW = 1_000_000;
const MINUTE = 60_000;
const channel = (id: string, change: object = {}) => ({
  id,
  fingerprint: "f1",
  state: "connected" as const,
  lastError: null,
  ...change,
});
const calm = { retry: false, now: NOW };

/** Runs with what a shard knows, at first nothing. */
function withKnown<T>(use: (known: KnownConnections) => T): Promise<T> {
  return runInDurableObject(namespace.getByName(crypto.randomUUID()), (_object, { storage }) => {
    storage.sql.exec(SHARD_TABLES);
    return use(new KnownConnections(storage.sql));
  });
}

/** Carries all orders out. */
function obey(known: KnownConnections, now = NOW) {
  const orders = known.orders(now, 100);
  for (const order of orders) known.told(order, now);
  return orders.map(({ channelId, kind }) => `${kind} ${channelId}`).toSorted();
}

describe("a shard", () => {
  it("orders what is new, changed or gone, once", async () => {
    const orders = await withKnown((known) => {
      known.follow([channel("a"), channel("b")], calm);
      const first = obey(known);
      known.follow([channel("a"), channel("b")], calm);
      const none = obey(known);
      known.follow([channel("a", { fingerprint: "f2" }), channel("c")], calm);
      return [first, none, obey(known), obey(known)];
    });
    expect(orders).toEqual([["connect a", "connect b"], [], ["connect a", "connect c", "disconnect b"], []]);
  });

  it("gives every change a larger generation, also when a channel comes back", async () => {
    const generations = await withKnown((known) => {
      const generation = () => known.orders(NOW + 100 * MINUTE, 1)[0]?.generation ?? 0;
      known.follow([channel("a")], calm);
      const first = generation();
      known.follow([channel("a", { fingerprint: "f2" })], calm);
      const second = generation();
      known.follow([], calm);
      const gone = generation();
      known.follow([channel("a")], calm);
      return [first, second, gone, generation()];
    });
    expect(generations).toEqual([NOW, NOW + 1, NOW + 1, NOW + 2]);
  });

  it("orders again what was not carried out, or was replaced by a newer order", async () => {
    const orders = await withKnown((known) => {
      known.follow([channel("a")], calm);
      const [old] = known.orders(NOW, 1);
      known.follow([channel("a", { fingerprint: "f2" })], calm);
      if (old) known.told(old, NOW);
      return obey(known);
    });
    expect(orders).toEqual(["connect a"]);
  });

  it("makes new attempts, when it is asked to, at those that are not connected", async () => {
    const orders = await withKnown((known) => {
      const channels = [
        channel("up"),
        channel("begun", { state: "connecting" }),
        channel("waits", { state: "retrying" }),
        channel("stopped", { state: "stopped" }),
      ];
      known.follow(channels, calm);
      obey(known);
      known.follow(channels, { retry: true, now: NOW });
      return obey(known);
    });
    expect(orders).toEqual(["connect stopped", "connect waits"]);
  });

  it("reminds all after a pause, and each after ten minutes", async () => {
    const orders = await withKnown((known) => {
      known.follow([channel("a")], calm);
      known.synced(0, NOW);
      obey(known);
      known.synced(0, NOW + MINUTE);
      const soon = obey(known, NOW + MINUTE);
      const late = obey(known, NOW + 11 * MINUTE);
      known.synced(0, NOW + 20 * MINUTE);
      return [soon, late, obey(known, NOW + 12 * MINUTE)];
    });
    expect(orders).toEqual([[], ["connect a"], ["connect a"]]);
  });
});
