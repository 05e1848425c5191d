import { within } from "#src/lib/time-limit.ts";
import type { Redis } from "./client.ts";

const PREFIX = "workspace:gateway";
/** Longer than two times between heartbeats. */
const TTL_SECONDS = 120;
/** Time limit, so that a hanging Redis does not block a connection. */
const TIMEOUT_MS = 2_000;

/**
 * Keys that tell other programs which connections are up, and how the shards are doing. The service itself does not read
 * them, so nothing throws, and without Redis nothing happens: a key that could not be written or deleted expires.
 */
export interface Heartbeats {
  /** The channel is connected, for the next two minutes. */
  beat(channelId: string): Promise<void>;
  end(channelId: string): Promise<void>;
  /** How a shard is doing; `status` is JSON. */
  shard(shard: number, status: string): Promise<void>;
}

/** The keys in `redis`; undefined is a service without Redis. */
export function heartbeats(redis: Redis | undefined): Heartbeats {
  const set = (key: string, value: string) =>
    redis ? quietly(redis.set(key, value, { ex: TTL_SECONDS })) : Promise.resolve();
  return {
    beat: (channelId) => set(activeKey(channelId), "alive"),
    end: (channelId) => (redis ? quietly(redis.del(activeKey(channelId))) : Promise.resolve()),
    shard: (shard, status) => set(`${PREFIX}:status:${shard}`, status),
  };
}

function activeKey(channelId: string): string {
  return `${PREFIX}:active:${channelId}`;
}

async function quietly(call: Promise<unknown>): Promise<void> {
  await within(TIMEOUT_MS, call).catch(() => {});
}
