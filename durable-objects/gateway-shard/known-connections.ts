import type { ConnectionChannel } from "#src/domain/messaging/channels/index.ts";
import type { ShardConnection } from "./protocol.ts";

export const SHARD_TABLES = `
  CREATE TABLE shard (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    number INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    last_sync INTEGER NOT NULL);
  CREATE TABLE known (
    channel_id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    generation INTEGER NOT NULL,
    is_wanted INTEGER NOT NULL,
    told_at INTEGER,
    state TEXT,
    last_error TEXT) WITHOUT ROWID;`;

type ShardRow = { number: number; started_at: number; last_sync: number };

type KnownRow = {
  channel_id: string;
  /** A revision of the channel: it changes when the connection has a change to follow. */
  fingerprint: string;
  generation: number;
  is_wanted: number;
  /** When the connection was last told; null when it has not heard of the generation yet. */
  told_at: number | null;
  state: ShardConnection["state"];
  last_error: string | null;
};

/** A call that a connection must get. */
export interface Order {
  channelId: string;
  generation: number;
  kind: "connect" | "disconnect";
}

/** A pause between two syncs after which the shard counts as started anew. */
const PAUSE_MS = 150_000;
/**
 * A connection looks after itself by its alarm. Should the platform have lost the alarm, the connection is told again
 * after this time.
 */
const REMIND_MS = 600_000;

/** The connections that a shard knows, and what they have been told. Times are passed in. */
export class KnownConnections {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get shard(): { number: number; startedAt: number; lastSync: number } | undefined {
    const [row] = this.#sql.exec<ShardRow>("SELECT number, started_at, last_sync FROM shard").toArray();
    return row && { number: row.number, startedAt: row.started_at, lastSync: row.last_sync };
  }

  /** Has all connections told again. */
  remindAll(): void {
    this.#sql.exec("UPDATE known SET told_at = NULL");
  }

  /** Notes a sync. A shard that paused tells all its connections again: their alarms may have been lost with it. */
  synced(number: number, now: number): void {
    const last = this.shard;
    const isAnew = !last || now - last.lastSync > PAUSE_MS;
    if (isAnew) this.remindAll();
    this.#sql.exec(
      `INSERT INTO shard (only_row, number, started_at, last_sync) VALUES (1, ?, ?, ?)
       ON CONFLICT (only_row) DO UPDATE SET number = excluded.number, last_sync = excluded.last_sync,
         started_at = excluded.started_at`,
      number,
      isAnew ? now : last.startedAt,
      now,
    );
  }

  /** Takes over what the rows of the shard's channels say. `retry` gives those that are not connected a new generation. */
  follow(channels: readonly ConnectionChannel[], { retry, now }: { retry: boolean; now: number }): void {
    const before = new Map(this.#all().map((row) => [row.channel_id, row]));
    for (const { id, fingerprint, state, lastError } of channels) {
      const known = before.get(id);
      before.delete(id);
      const isSame = known?.is_wanted === 1 && known.fingerprint === fingerprint;
      const isRetried = retry && state !== "connected" && state !== "connecting";
      if (isSame && !isRetried) {
        if (known.state !== state || known.last_error !== lastError)
          this.#sql.exec(
            "UPDATE known SET state = ?, last_error = ? WHERE channel_id = ?",
            state,
            lastError,
            id,
          );
        continue;
      }
      // By the clock, so that a shard that takes over another's channels has larger generations than that one.
      const generation = Math.max(now, (known?.generation ?? 0) + 1);
      this.#sql.exec(
        `INSERT INTO known (channel_id, fingerprint, generation, is_wanted, state, last_error) VALUES (?, ?, ?, 1, ?, ?)
         ON CONFLICT (channel_id) DO UPDATE SET fingerprint = excluded.fingerprint, generation = excluded.generation,
           is_wanted = 1, told_at = NULL, state = excluded.state, last_error = excluded.last_error`,
        id,
        fingerprint,
        generation,
        state,
        lastError,
      );
    }
    for (const gone of before.values()) {
      if (gone.is_wanted === 1)
        this.#sql.exec(
          "UPDATE known SET is_wanted = 0, told_at = NULL WHERE channel_id = ?",
          gone.channel_id,
        );
    }
  }

  /** What connections have not been told yet, or not for long; at most `limit`. */
  orders(now: number, limit: number): Order[] {
    return this.#sql
      .exec<KnownRow>(
        "SELECT * FROM known WHERE told_at IS NULL OR told_at < ? ORDER BY told_at LIMIT ?",
        now - REMIND_MS,
        limit,
      )
      .toArray()
      .map((row) => ({
        channelId: row.channel_id,
        generation: row.generation,
        kind: row.is_wanted === 1 ? "connect" : "disconnect",
      }));
  }

  /** Notes that an order was carried out. A connection that was ended is forgotten. */
  told({ channelId, generation, kind }: Order, now: number): void {
    if (kind === "connect") {
      this.#sql.exec(
        "UPDATE known SET told_at = ? WHERE channel_id = ? AND generation = ? AND is_wanted = 1",
        now,
        channelId,
        generation,
      );
      return;
    }
    this.#sql.exec(
      "DELETE FROM known WHERE channel_id = ? AND generation = ? AND is_wanted = 0",
      channelId,
      generation,
    );
  }

  /** Those that are to be connected. */
  get connections(): ShardConnection[] {
    return this.#all()
      .filter(({ is_wanted: isWanted }) => isWanted === 1)
      .map(({ channel_id: channelId, state, last_error: lastError }) => ({ channelId, state, lastError }));
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM known LIMIT 1").toArray().length === 0;
  }

  #all(): KnownRow[] {
    return this.#sql.exec<KnownRow>("SELECT * FROM known").toArray();
  }
}
