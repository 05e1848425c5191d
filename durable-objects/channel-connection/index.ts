import { DurableObject } from "cloudflare:workers";
import { connections } from "#src/channels/connections.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { activeChannel, setConnectionState } from "#src/domain/messaging/channels/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { Services } from "#src/services.ts";
import { migrate } from "../lib/sql-migrations.ts";
import { objectConfig, objectServices } from "../lib/object-services.ts";
import { Attempt } from "./attempt.ts";
import { CONNECTION_TABLE, ConnectionRecord } from "./connection-record.ts";
import type { ChannelConnectionObject, ConnectionStatus } from "./protocol.ts";

const SCHEMA = [CONNECTION_TABLE];

/** Time between two looks at a connection, at each of which the heartbeat in Redis is renewed. */
const LOOK_MS = 50_000;
/** Time until the next look after one that failed, as it does without the database. */
const AGAIN_MS = 5_000;

/**
 * One object per channel that is connected to its platform. The alarm does all the work: it connects, looks after the
 * connection, connects again after a failure, and writes to the database how the connection is doing. So a crash between
 * any two steps is repaired by the alarm, which is stored. An open connection keeps the object in memory.
 */
export class ChannelConnection extends DurableObject<object> implements ChannelConnectionObject {
  #opened: ConnectionRecord | undefined;
  #attempt: Attempt | undefined;
  #reporting: Promise<void> = Promise.resolve();

  async keepConnected(channelId: string, generation: number): Promise<void> {
    if (this.#record.want(channelId, generation)) await this.ctx.storage.setAlarm(Date.now());
  }

  async endConnection(generation: number): Promise<void> {
    if (!this.#record.unwant(generation)) return;
    this.#endAttempt();
    await this.ctx.storage.setAlarm(Date.now());
  }

  async state(): Promise<ConnectionStatus> {
    const row = this.#record.current;
    return {
      state: row?.state ?? null,
      lastError: row?.last_error ?? null,
      generation: row?.generation ?? 0,
    };
  }

  override async alarm(): Promise<void> {
    // The next alarm comes first: an alarm that throws is retried a few times and then dropped for good.
    await this.ctx.storage.setAlarm(Date.now() + LOOK_MS);
    try {
      const services = objectServices(this.env, this.ctx);
      await this.#look(services);
      await this.#report(services);
      await this.#planNextLook();
    } catch (error) {
      createLog().error("a channel's connection could not be looked after", { cause: error });
      await this.ctx.storage.setAlarm(Date.now() + AGAIN_MS);
    }
  }

  async #look(services: Services): Promise<void> {
    const row = this.#record.current;
    if (!row) return;
    if (row.is_wanted === 0 || !objectConfig(this.env).GATEWAY_ENABLED) {
      this.#endAttempt();
    } else if (this.#attempt?.generation === row.generation) {
      this.#attempt.look(Date.now());
    } else if (row.state !== "stopped" && row.retry_at <= Date.now()) {
      await this.#begin(services, row);
    }
    const isUp = this.#attempt?.connectedAt !== undefined;
    if (isUp) await services.heartbeats.beat(row.channel_id);
    else if (this.#record.current?.state !== "connected") await services.heartbeats.end(row.channel_id);
  }

  async #begin(
    services: Services,
    { channel_id: channelId, generation }: { channel_id: string; generation: number },
  ): Promise<void> {
    const channel = await activeChannel(services.db, channelId);
    const row = this.#record.current;
    // While the row was read, the object was told something newer; the alarm is set again.
    if (row?.generation !== generation || row.is_wanted === 0) return;
    const connect = channel && connections[channel.channelType];
    if (!channel || !connect || channel.inboundMode !== "connection") {
      this.#record.unwant(generation);
      this.#endAttempt();
      return;
    }
    const isSameBot = this.#attempt?.channel.encryptedCredentials === channel.encryptedCredentials;
    // A bot that the platform no longer confirms is asked about again before it takes anything.
    if (this.#attempt && isSameBot && channel.provedAt !== null) {
      this.#attempt.adopt(generation, channel);
      return;
    }
    this.#endAttempt();
    const attempt = new Attempt({
      services,
      connect,
      generation,
      channel,
      memory: {
        read: () => this.#record.current?.memory ?? undefined,
        write: (text) => this.#record.remember(text),
      },
      onConnected: () => this.#onConnected(services, channelId),
      onPace: (note) => {
        this.#record.note(note);
        if (this.#record.unreported) this.#tell(() => this.#report(services));
      },
    });
    this.#record.begin(sha256Hex(channel.encryptedCredentials));
    this.#attempt = attempt;
    this.ctx.waitUntil(this.#run(attempt));
  }

  async #run(attempt: Attempt): Promise<void> {
    let failure = new PlatformFailure("unreachable", "The platform closed the connection.");
    try {
      await attempt.run();
    } catch (error) {
      if (error instanceof PlatformFailure) failure = error;
    }
    // A superseded attempt says nothing about the next one.
    if (this.#attempt !== attempt) return;
    this.#attempt = undefined;
    const now = Date.now();
    this.#record.ended(attempt, failure, now);
    await this.ctx.storage.setAlarm(now);
  }

  #onConnected(services: Services, channelId: string): void {
    this.#record.connected();
    this.#tell(async () => {
      await services.heartbeats.beat(channelId);
      await this.#report(services);
    });
  }

  /** Never fails: the next look repeats it. */
  #tell(report: () => Promise<void>): void {
    const reported = report().catch((error: unknown) =>
      createLog().warn("a channel's connection could not be reported", { cause: error }),
    );
    this.ctx.waitUntil(reported);
  }

  /** Writes state and error to the channel's row, if they have changed; one write after the other. */
  #report(services: Services): Promise<void> {
    const report = this.#reporting.then(() => this.#writeState(services));
    this.#reporting = report.catch(() => undefined);
    return report;
  }

  async #writeState(services: Services): Promise<void> {
    const { current } = this.#record;
    const unreported = current && this.#record.unreported;
    if (!unreported) return;
    const { state, lastError, key } = unreported;
    await setConnectionState(services.db, current.channel_id, { state, lastError });
    this.#record.reported(key);
  }

  async #planNextLook(): Promise<void> {
    const row = this.#record.current;
    const isAtWork = row !== undefined && this.#attempt?.generation === row.generation;
    // While an attempt is at work, the alarm that was set first is the right one.
    if (isAtWork) return;
    const at = this.#record.nextLook(objectConfig(this.env).GATEWAY_ENABLED, Date.now());
    if (at === undefined) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(at);
  }

  #endAttempt(): void {
    this.#attempt?.end();
    this.#attempt = undefined;
  }

  get #record(): ConnectionRecord {
    if (!this.#opened) {
      migrate(this.ctx.storage, SCHEMA);
      this.#opened = new ConnectionRecord(this.ctx.storage.sql);
    }
    return this.#opened;
  }
}
