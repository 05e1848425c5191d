import type { PlatformFailure } from "#src/channels/platform-failure.ts";
import type { ConnectionState } from "./protocol.ts";
import { retryDelay } from "./retry-delay.ts";

export const CONNECTION_TABLE = `
  CREATE TABLE connection (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    channel_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    is_wanted INTEGER NOT NULL DEFAULT 1,
    state TEXT,
    last_error TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER NOT NULL DEFAULT 0,
    reported TEXT,
    credentials TEXT,
    memory TEXT);`;

/** Failures in a row after which the connection stops until the owner or an administrator acts. */
const MAX_FAILURES = 20;

/** A connection that was well for so long is made again at once when it ends; one that ends sooner has failed. */
const WELL_MS = 30_000;

/** What the platform, or the way to it, said. */
type Failure = Pick<PlatformFailure, "kind" | "message" | "retryAfterSeconds">;

type Row = {
  channel_id: string;
  generation: number;
  is_wanted: number;
  state: ConnectionState;
  last_error: string | null;
  failures: number;
  /** Not to be connected before, in milliseconds since the epoch. */
  retry_at: number;
  /** State and error as the channel's row has them, as JSON; null while unknown. */
  reported: string | null;
  /** What identifies the credentials that `memory` belongs to. */
  credentials: string | null;
  /** What the platform's connection resumes from. */
  memory: string | null;
};

/**
 * What the object knows of its connection. The row is read once: nothing else writes it, and the platform recreates an
 * object whose write fails.
 */
export class ConnectionRecord {
  readonly #sql: SqlStorage;
  #row: Row | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#row = sql.exec<Row>("SELECT * FROM connection").toArray()[0];
  }

  /** Undefined for a channel that was never connected. */
  get current(): Readonly<Row> | undefined {
    return this.#row;
  }

  /** Notes that the channel is to be connected. Returns whether the generation is at least the current one. */
  want(channelId: string, generation: number): boolean {
    const row = this.#row;
    if (row && generation < row.generation) return false;
    if (row && generation === row.generation && row.is_wanted === 1) return true;
    if (row) {
      const state = row.state === "stopped" ? null : row.state;
      this.#write({ generation, is_wanted: 1, failures: 0, retry_at: 0, state });
    } else {
      this.#sql.exec(
        "INSERT INTO connection (only_row, channel_id, generation) VALUES (1, ?, ?)",
        channelId,
        generation,
      );
      this.#row = this.#sql.exec<Row>("SELECT * FROM connection").toArray()[0];
    }
    return true;
  }

  /** Notes that the channel is not to be connected. Returns whether the generation is at least the current one. */
  unwant(generation: number): boolean {
    const row = this.#row;
    if (!row || generation < row.generation) return false;
    this.#write({ generation, is_wanted: 0, state: null, last_error: null });
    return true;
  }

  /**
   * An attempt begins. A connection that is only made again keeps its state. The memory of other credentials is forgotten:
   * positions and sessions belong to one bot.
   */
  begin(credentials: string): void {
    const row = this.#require();
    if (row.credentials !== credentials) this.#write({ state: "connecting", credentials, memory: null });
    else if (row.state === null) this.#write({ state: "connecting" });
  }

  connected(): void {
    this.#write({ state: "connected", last_error: null });
  }

  /** Notes for the owner how a connection that is up is doing; null when well. */
  note(sentence: string | null): void {
    const row = this.#require();
    if (row.state === "connected" && row.last_error !== sentence) this.#write({ last_error: sentence });
  }

  /**
   * An attempt ended. When the channel was changed in the meantime, its end says nothing about the attempt with the new
   * credentials.
   */
  ended(
    attempt: { generation: number; connectedAt: number | undefined },
    failure: Failure,
    now: number,
  ): void {
    if (attempt.generation !== this.#row?.generation) return;
    const wasWell = attempt.connectedAt !== undefined && now - attempt.connectedAt >= WELL_MS;
    if (wasWell && failure.kind === "unreachable") {
      this.#dropped(now + (failure.retryAfterSeconds ?? 0) * 1000);
    } else this.#failed(failure, now);
  }

  /** The connection ended after it had been well: it is made again, and is not counted as failed. */
  #dropped(retryAt: number): void {
    this.#write({ failures: 0, retry_at: retryAt });
  }

  /** The attempt failed: `current` says whether and when there is another one. */
  #failed(failure: Failure, now: number): void {
    const failures = this.#require().failures + 1;
    const isFinal = failure.kind === "unauthorized" || failure.kind === "refused" || failures >= MAX_FAILURES;
    const delay = Math.max(retryDelay(failures, Math.random()), (failure.retryAfterSeconds ?? 0) * 1000);
    this.#write({
      failures,
      state: isFinal ? "stopped" : "retrying",
      last_error: failure.message,
      retry_at: now + delay,
    });
  }

  /** When to look again after a look without an attempt at work; undefined when nothing is left to do. */
  nextLook(isEnabled: boolean, now: number): number | undefined {
    const row = this.#row;
    if (!row) return undefined;
    // An attempt that failed while its beginning was reported: how it ended is still to be reported.
    if (this.unreported) return now;
    const isOver = row.is_wanted === 0 || row.state === "stopped" || !isEnabled;
    return isOver ? undefined : Math.max(row.retry_at, now);
  }

  /** State and error that the channel's row lacks; undefined when it has them. */
  get unreported(): { state: ConnectionState; lastError: string | null; key: string } | undefined {
    const { state, last_error: lastError, reported } = this.#require();
    const key = JSON.stringify([state, lastError]);
    return key === reported ? undefined : { state, lastError, key };
  }

  reported(key: string): void {
    this.#write({ reported: key });
  }

  remember(memory: string): void {
    this.#write({ memory });
  }

  /** Writes the row and its copy in memory, in one statement. */
  #write(change: Partial<Row>): void {
    const row = this.#require();
    const columns = Object.keys(change).map((column) => `${column} = ?`);
    this.#sql.exec(`UPDATE connection SET ${columns.join(", ")}`, ...Object.values(change));
    this.#row = { ...row, ...change };
  }

  #require(): Row {
    if (!this.#row) throw new Error("This channel was never connected");
    return this.#row;
  }
}
