import type { GatewayShardObject, ShardStatus } from "#durable-objects/gateway-shard/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { ShardStatus };

/** Access to the shards, each of which keeps a part of the channels connected. */
export interface GatewayShards {
  /** Has the connections follow the channels' rows; `retry` also tries again those that are not connected. */
  sync(shard: number, options?: { retry: boolean }): Promise<void>;
  status(shard: number): Promise<ShardStatus>;
}

export function gatewayShards(
  namespace: DurableObjectNamespace<GatewayShardObject>,
  trips: Trips,
): GatewayShards {
  const object = (shard: number) => {
    trips.objects += 1;
    return namespace.getByName(String(shard));
  };
  return {
    sync: (shard, options = { retry: false }) => object(shard).sync(shard, options),
    status: (shard) => object(shard).status(),
  };
}
