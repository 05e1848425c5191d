import type { ConnectionState } from "../channel-connection/protocol.ts";

/** A connection of a shard, as its channel's row described it at the last sync. */
export interface ShardConnection {
  channelId: string;
  state: ConnectionState;
  lastError: string | null;
}

export interface ShardStatus {
  connections: ShardConnection[];
  /** In milliseconds since the epoch; null before the first sync. */
  lastSync: number | null;
  /** Since when the shard has synced without a pause; null before the first sync. */
  startedAt: number | null;
}

/** The contract of the `GatewayShard` object, one per number of a shard. */
export interface GatewayShardObject extends Rpc.DurableObjectBranded {
  /**
   * Connects the channels that the shard lacks or that were changed, and disconnects those that are no longer its own.
   * Returns when all were told. `retry` also makes a new attempt at those that are not connected.
   */
  sync(shard: number, options: { retry: boolean }): Promise<void>;
  status(): Promise<ShardStatus>;
}
