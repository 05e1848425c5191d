import { DurableObject } from "cloudflare:workers";
import { connectionChannels } from "#src/domain/messaging/channels/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { Services } from "#src/services.ts";
import { objectServices } from "../lib/object-services.ts";
import { migrate } from "../lib/sql-migrations.ts";
import { KnownConnections, type Order, SHARD_TABLES } from "./known-connections.ts";
import type { GatewayShardObject, ShardStatus } from "./protocol.ts";

const SCHEMA = [SHARD_TABLES];

/** The cron syncs every minute; the alarm does where the cron is late, and for numbers that are no longer in use. */
const SYNC_MS = 65_000;
/** Calls in one sync, because a call of an object may make a limited number of its own; the rest follow at once. */
const MAX_ORDERS = 200;
const AT_ONCE = 20;
const AGAIN_MS = 1_000;

/** Shards that synced since this isolate began. Connections that were in memory with an earlier one are down. */
const begunShards = new Set<number>();

/**
 * One object per shard: has the connections of its channels follow the channels' rows. It only says what is to live;
 * every connection keeps itself alive.
 */
export class GatewayShard extends DurableObject<object> implements GatewayShardObject {
  #opened: KnownConnections | undefined;
  #syncs: Promise<void> = Promise.resolve();

  sync(shard: number, options: { retry: boolean }): Promise<void> {
    // One after the other: a sync that began before a change has not seen it.
    const sync = this.#syncs.then(() => this.#sync(shard, options));
    this.#syncs = sync.catch(() => undefined);
    return sync;
  }

  async status(): Promise<ShardStatus> {
    const { shard, connections } = this.#known;
    return { connections, lastSync: shard?.lastSync ?? null, startedAt: shard?.startedAt ?? null };
  }

  override async alarm(): Promise<void> {
    const { shard } = this.#known;
    if (!shard) return;
    await this.ctx.storage.setAlarm(Date.now() + SYNC_MS);
    try {
      await this.sync(shard.number, { retry: false });
    } catch (error) {
      createLog().error("a shard of the gateway could not sync", { shard: shard.number, cause: error });
    }
  }

  async #sync(shard: number, { retry }: { retry: boolean }): Promise<void> {
    const services = objectServices(this.env);
    const { GATEWAY_ENABLED: isEnabled, GATEWAY_NUM_SHARDS: shards } = services.config;
    const channels = isEnabled ? await connectionChannels(services.db, { shard, shards }) : [];
    const now = Date.now();
    const known = this.#known;
    known.follow(channels, { retry, now });
    known.synced(shard, now);
    if (!begunShards.has(shard)) known.remindAll();
    begunShards.add(shard);
    const orders = known.orders(now, MAX_ORDERS);
    for (let at = 0; at < orders.length; at += AT_ONCE) {
      await Promise.all(orders.slice(at, at + AT_ONCE).map((order) => this.#carryOut(services, order)));
    }
    const hasMore = orders.length === MAX_ORDERS;
    if (hasMore) await this.ctx.storage.setAlarm(now + AGAIN_MS);
    else if (known.isEmpty) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(now + SYNC_MS);
    await services.heartbeats.shard(shard, JSON.stringify(this.#summary(shard)));
  }

  /** An order that fails stays, and is carried out at the next sync. */
  async #carryOut({ channelConnections, log }: Services, order: Order): Promise<void> {
    const { channelId, generation, kind } = order;
    try {
      await channelConnections[kind](channelId, generation);
      this.#known.told(order, Date.now());
    } catch (error) {
      log.warn("a channel's connection could not be told", { channel_id: channelId, kind, cause: error });
    }
  }

  #summary(shard: number) {
    const { shard: synced, connections } = this.#known;
    return {
      status: "online",
      shard,
      adapters: connections.length,
      connected: connections.filter(({ state }) => state === "connected").length,
      last_sync: isoTime(synced?.lastSync),
      started_at: isoTime(synced?.startedAt),
    };
  }

  get #known(): KnownConnections {
    if (!this.#opened) {
      migrate(this.ctx.storage, SCHEMA);
      this.#opened = new KnownConnections(this.ctx.storage.sql);
    }
    return this.#opened;
  }
}

function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
