import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GatewayShards } from "#src/platform/objects/gateway-shards.ts";
import type { DeliveryStream } from "#src/platform/redis/delivery-stream.ts";
import { recentSessions } from "./queries.ts";

export interface StatusDeps {
  db: Db;
  /** Undefined when the service runs without Redis. */
  deliveryStream: DeliveryStream | undefined;
  gatewayShards: Pick<GatewayShards, "status">;
  config: {
    GATEWAY_ENABLED: boolean;
    GATEWAY_SHARD: number;
    GATEWAY_NUM_SHARDS: number;
    GATEWAY_SESSION_IDLE_MINUTES: number;
  };
}

export interface GatewayStatus {
  status: "online" | "offline";
  shard: number;
  numShards: number;
  /** Channels that the shard keeps connected, or tries to. */
  adapters: number;
  connected: number;
  /** Of the caller. */
  activeSessions: number;
  lastSync: Date | null;
  startedAt: Date | null;
  /** What does not work although the gateway runs, as a sentence; null when everything does. */
  notice: string | null;
}

const NOTHING_SENT = "Replies are not sent to platforms: the service runs without Redis (REDIS_URL=off).";

/** Two syncs, which are a minute apart, may fail. */
const ONLINE_MS = 150_000;

/** How the shard of GATEWAY_SHARD is doing, and the caller's share of it. */
export async function gatewayStatus(deps: StatusDeps, caller: UserCaller): Promise<GatewayStatus> {
  const { config } = deps;
  const [{ connections, lastSync, startedAt }, activeSessions] = await Promise.all([
    deps.gatewayShards.status(config.GATEWAY_SHARD),
    recentSessions(deps.db, caller.userId, config.GATEWAY_SESSION_IDLE_MINUTES),
  ]);
  const isSynced = lastSync !== null && Date.now() - lastSync < ONLINE_MS;
  return {
    status: config.GATEWAY_ENABLED && isSynced ? "online" : "offline",
    shard: config.GATEWAY_SHARD,
    numShards: config.GATEWAY_NUM_SHARDS,
    adapters: connections.length,
    connected: connections.filter(({ state }) => state === "connected").length,
    activeSessions,
    lastSync: lastSync === null ? null : new Date(lastSync),
    startedAt: startedAt === null ? null : new Date(startedAt),
    notice: deps.deliveryStream ? null : NOTHING_SENT,
  };
}
