import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { CONNECTION_TABLE, ConnectionRecord } from "#durable-objects/channel-connection/connection-record.ts";
import { retryDelay } from "#durable-objects/channel-connection/retry-delay.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConnections } from "#src/platform/objects/channel-connections.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.CHANNEL_CONNECTION;
const connections = channelConnections(namespace, newTrips());

let channelId = "";
beforeEach(() => {
  channelId = crypto.randomUUID();
});

const NOW = 1_000_000;
const unreachable = (retryAfterSeconds?: number) =>
  new PlatformFailure(
    "unreachable",
    "It is down.",
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );

const attempt = (generation = 1) => ({ generation, connectedAt: undefined });

/** Runs with a record of its own, read anew each time `open` is called. */
function withRecord<T>(use: (open: () => ConnectionRecord) => T): Promise<T> {
  return runInDurableObject(namespace.getByName(channelId), (_object, { storage }) => {
    storage.sql.exec(CONNECTION_TABLE);
    return use(() => new ConnectionRecord(storage.sql));
  });
}

/** The same with one that has begun an attempt. */
const withBegun = <T>(use: (record: ConnectionRecord) => T) =>
  withRecord((open) => {
    const record = open();
    record.want(channelId, 1);
    record.begin("credentials");
    return use(record);
  });

describe("a connection's record", () => {
  it("is not stopped by the end of an attempt with earlier credentials", async () => {
    const row = await withBegun((record) => {
      record.want(channelId, 2);
      record.ended(attempt(1), new PlatformFailure("unauthorized", "It is another token."), NOW);
      return record.current;
    });
    expect(row).toMatchObject({ state: "connecting", failures: 0, last_error: null, retry_at: 0 });
  });

  it("tells the owner how a connection that is up is doing, and nothing of one that is not", async () => {
    const seen = await withBegun((record) => {
      record.note("Too fast.");
      const before = record.current?.last_error;
      record.connected();
      record.note("Too fast.");
      const told = record.unreported;
      record.note(null);
      return { before, told, after: record.current?.last_error };
    });
    const told = { state: "connected", lastError: "Too fast." };
    expect(seen).toMatchObject({ before: null, told, after: null });
  });

  it("waits longer after every failure, and at least as long as the platform says", async () => {
    const waits = await withBegun((record) => {
      return [undefined, undefined, 1_000].map((seconds) => {
        record.ended(attempt(), unreachable(seconds), NOW);
        return (record.current?.retry_at ?? 0) - NOW;
      });
    });
    expect(waits[0]).toBeLessThanOrEqual(1_000);
    expect(waits[1]).toBeLessThanOrEqual(2_000);
    expect(waits[2]).toBe(1_000_000);
  });

  it.each([
    [1, "unauthorized"],
    [1, "refused"],
    [20, "unreachable"],
    [20, "busy"],
  ] as const)("stops after %i failures that are %s, until a new generation", async (failures, kind) => {
    const states = await withBegun((record) => {
      const seen = Array.from({ length: failures }, () => {
        record.ended(attempt(), new PlatformFailure(kind, "It is over."), NOW);
        return record.current?.state;
      });
      record.want(channelId, 2);
      record.begin("credentials");
      return { seen, last: record.current };
    });
    expect(states.seen.slice(0, -1).every((state) => state === "retrying")).toBe(true);
    expect(states.seen.at(-1)).toBe("stopped");
    expect(states.last).toMatchObject({ state: "connecting", failures: 0, retry_at: 0 });
  });

  it("keeps its state when a connection that was well is made again", async () => {
    const row = await withBegun((record) => {
      record.ended(attempt(), unreachable(), NOW);
      record.begin("credentials");
      record.connected();
      record.ended({ generation: 1, connectedAt: NOW - 30_000 }, unreachable(), NOW);
      record.begin("credentials");
      return record.current;
    });
    expect(row).toMatchObject({ state: "connected", failures: 0, retry_at: NOW, last_error: null });
  });

  it("forgets its memory with the credentials", async () => {
    const memories = await withRecord((open) => {
      const record = open();
      record.want(channelId, 1);
      record.begin("one");
      record.remember("a position");
      record.begin("one");
      const before = record.current?.memory;
      record.begin("two");
      return [before, record.current?.memory];
    });
    expect(memories).toEqual(["a position", null]);
  });

  it("is looked at again until its end is reported, also when it failed while its beginning was", async () => {
    const looks = await withBegun((record) => {
      const { key } = record.unreported ?? { key: "" };
      record.ended(attempt(), new PlatformFailure("unauthorized", "No such token."), NOW);
      record.reported(key);
      const before = record.nextLook(true, NOW);
      record.reported(record.unreported?.key ?? "");
      return [before, record.nextLook(true, NOW)];
    });
    expect(looks).toEqual([NOW, undefined]);
  });
});

describe("a connection's object", () => {
  it("follows the latest generation", async () => {
    await connections.connect(channelId, 7);
    await connections.connect(channelId, 6);
    await connections.disconnect(channelId, 5);
    await expect(connections.state(channelId)).resolves.toMatchObject({ generation: 7 });
  });

  it("knows nothing of a channel that was never connected", async () => {
    await connections.disconnect(channelId, 1);
    await expect(connections.state(channelId)).resolves.toEqual({
      state: null,
      lastError: null,
      generation: 0,
    });
  });
});

describe("the delay of a retry", () => {
  it("is short at first, then doubles from half a minute up to five minutes", () => {
    const longest = Array.from({ length: 10 }, (_, failures) => retryDelay(failures + 1, 1));
    expect(longest).toEqual([1, 2, 4, 8, 30, 60, 120, 240, 300, 300].map((seconds) => seconds * 1000));
    expect(retryDelay(9, 0)).toBe(150_000);
  });
});
