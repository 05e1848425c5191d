import { DurableObject } from "cloudflare:workers";
import { migrate } from "../lib/sql-migrations.ts";
import { Audience } from "./audience.ts";
import { EVENT_TABLES, EventStore } from "./event-store.ts";
import type { Addition, Begun, Control, NewEvent, StopReason } from "./protocol.ts";
import { Reader, toSse } from "./reader.ts";
import { PARKED_COLUMN, RUN_TABLES, RunState } from "./run-state.ts";
import { taskLogSettings, type TaskLogSettings } from "./settings.ts";
import { Watchdog } from "./watchdog.ts";

/** Its versions, oldest first; a step is only ever appended. */
const SCHEMA = [`${EVENT_TABLES}${RUN_TABLES}`, PARKED_COLUMN];

/**
 * One per agent task: its events, who executes it, and everyone watching. Storage is the truth; memory holds only who is
 * listening. Kept TASK_LOG_RETENTION_DAYS after the end, then forgotten.
 */
export class TaskLog extends DurableObject<object> {
  readonly #settings: TaskLogSettings;
  #opened: { events: EventStore; run: RunState } | undefined;
  readonly #audience = new Audience();

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    this.#settings = taskLogSettings(env);
  }

  /** Make the log and arm the watchdog; safe to repeat. For a task that is not over: what is forgotten must not come back. */
  async open(taskId: string): Promise<void> {
    // The alarm in the same turn as the row, so that both are one write and no open log is without its watchdog.
    if (this.#store.run.open(taskId, Date.now())) {
      await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    }
  }

  // ── The executor ───────────────────────────────────────────────────

  /** Ask to execute a step; the first one makes the log. Returns whether to, and as which generation. */
  async begin(taskId: string, step: number): Promise<Begun> {
    const { stallMs, maxAttempts } = this.#settings;
    if (step === 1) await this.open(taskId);
    const { events, run } = this.#store;
    return run.begin(step, events.lastId, { now: Date.now(), stallMs, maxAttempts });
  }

  async ping(generation: number): Promise<Control> {
    return this.#store.run.ping(generation, Date.now());
  }

  /** Add to the log in one write; refused, as `stale`, from any but the newest generation. */
  async append(generation: number, addition: Addition): Promise<Control> {
    const { events, run } = this.#store;
    const control = run.control(generation);
    if (control.stale || run.closed) return { ...control, stale: true };
    if (!run.advance(addition, Date.now())) return control;
    this.#audience.tell(events.append(addition.events));
    return control;
  }

  /** End the step; answers the number of the next one, or nothing to a stale executor. */
  async endStep(generation: number): Promise<number | undefined> {
    const { run } = this.#store;
    return run.control(generation).stale ? undefined : run.endStep(Date.now());
  }

  /** End the step until somebody has answered, `until` at the latest (milliseconds since the epoch). Nothing to a stale executor. */
  async park(generation: number, until: number): Promise<void> {
    const { run } = this.#store;
    const { stale, stop } = run.control(generation);
    if (stale) return;
    run.park(Date.now(), until);
    // One that was told to stop since the executor last heard of it waits for nobody, and nobody else would wake it.
    await this.ctx.storage.setAlarm(stop === null ? until : Date.now() + this.#settings.stallMs);
  }

  /**
   * Somebody has answered: the step that is to be published, or nothing where nobody waits. Should the publication be lost,
   * the watchdog repeats it.
   */
  async unpark(): Promise<number | undefined> {
    const step = this.#store.run.unpark(Date.now());
    if (step !== undefined) await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    return step;
  }

  /** The executor failed and leaves the step to the next delivery, which need not wait for its silence. */
  async release(generation: number): Promise<void> {
    const { run } = this.#store;
    if (!run.control(generation).stale) run.release(Date.now());
  }

  /**
   * Append the last events and end every stream. Terminal: nothing is appended afterwards. `settled` says that all which
   * follows from the end has been published; otherwise the watchdog publishes it.
   */
  async close(generation: number, last: readonly NewEvent[], settled: boolean): Promise<void> {
    const { events, run } = this.#store;
    if (run.control(generation).stale) return;
    if (!run.closed) this.#audience.tell(events.append(last));
    run.close(Date.now(), settled);
    this.#audience.dismiss();
    const { retentionMs, stallMs } = this.#settings;
    await this.ctx.storage.setAlarm(Date.now() + (settled ? retentionMs : stallMs));
  }

  /** Ask the executor to stop; it sees the request at its next write or ping. */
  async requestStop(reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown"> {
    const state = this.#store.run.requestStop(reason);
    // Should it wait for somebody: it need not any more, and if nobody publishes its step the watchdog does.
    if (state === "begun") await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    return state;
  }

  // ── Readers: replay, then follow ───────────────────────────────────

  /** Id of the last event, 0 where there is none, and whether it is the end. */
  async lastEvent(): Promise<{ id: number; isEnd: boolean }> {
    const { events, run } = this.#store;
    return { id: events.lastId, isEnd: run.closed };
  }

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const openFor = searchParams.get("open");
    if (openFor !== null) await this.open(openFor);
    if (!this.#store.run.known) return new Response(null, { status: 404 });
    const after = Number(searchParams.get("after") ?? 0);
    const { readable, writable } = new IdentityTransformStream();
    const reader = new Reader(writable, (gone) => this.#audience.leave(gone));
    this.ctx.waitUntil(this.#replay(reader, after));
    return new Response(readable, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      },
    });
  }

  /** Pages under backpressure; the last page and the subscription share one synchronous turn, so nothing falls between. */
  async #replay(reader: Reader, after: number): Promise<void> {
    let position = after;
    for (;;) {
      const page = this.#store.events.pageAfter(position);
      const last = page.at(-1);
      if (!last || last.id >= this.#store.events.lastId) {
        if (page.length > 0) reader.push(toSse(page));
        if (this.#store.run.closed) reader.end();
        else this.#audience.join(reader);
        return;
      }
      await reader.page(toSse(page));
      if (reader.gone) return;
      position = last.id;
    }
  }

  // ── Alarm: watch over the task, in the end forget it ───────────────

  override async alarm(): Promise<void> {
    const watchdog = new Watchdog(this.#store.run, this.ctx.storage, this.#settings);
    if ((await watchdog.look(Date.now())) === "forget") {
      await this.ctx.storage.deleteAll();
      this.#opened = undefined; // this instance may outlive its tables
    }
  }

  get #store(): { events: EventStore; run: RunState } {
    if (!this.#opened) {
      migrate(this.ctx.storage, SCHEMA);
      const { sql } = this.ctx.storage;
      this.#opened = { events: new EventStore(sql), run: new RunState(sql) };
    }
    return this.#opened;
  }
}
