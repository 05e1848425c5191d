import { insertAdminAction, type AdministratorsDeed } from "#src/domain/access/administrators/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { GatewayShards } from "#src/platform/objects/gateway-shards.ts";

export interface ShardDeps {
  gatewayShards: GatewayShards;
  config: { GATEWAY_NUM_SHARDS: number };
  log: Log;
}

/** Has a shard's connections follow a channel that was just changed. Where it fails, the next minute repeats it. */
export async function resync(deps: Pick<ShardDeps, "gatewayShards" | "log">, shard: number): Promise<void> {
  await sync(deps, shard, { retry: false });
}

/** Has all connections follow the channels' rows; called every minute. A start of the service connects them so. */
export async function syncShards(deps: ShardDeps): Promise<void> {
  await Promise.all(numbers(deps).map((shard) => sync(deps, shard, { retry: false })));
}

/**
 * As `syncShards`, and makes new attempts at the connections that are stopped or wait. Noted in the trail of
 * administrators.
 */
export async function retryConnections(deps: ShardDeps & { db: Db }, by: AdministratorsDeed): Promise<void> {
  await insertAdminAction(deps.db, by, {
    action: "gateway.reloaded",
    targetType: "gateway",
    targetId: "connections",
  });
  await Promise.all(numbers(deps).map((shard) => sync(deps, shard, { retry: true })));
}

async function sync(
  { gatewayShards, log }: Pick<ShardDeps, "gatewayShards" | "log">,
  shard: number,
  options: { retry: boolean },
): Promise<void> {
  try {
    await gatewayShards.sync(shard, options);
  } catch (error) {
    log.error("a shard of the gateway could not sync", { shard, cause: error });
  }
}

function numbers({ config }: ShardDeps): number[] {
  return Array.from({ length: config.GATEWAY_NUM_SHARDS }, (_, shard) => shard);
}
