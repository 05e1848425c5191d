import { DurableObject } from "cloudflare:workers";
import { isFull } from "#src/domain/operations/ceilings/index.ts";
import { migrate } from "../lib/sql-migrations.ts";
import { Audience } from "./audience.ts";
import { EVENT_TABLES, EventStore } from "./event-store.ts";
import type { Addition, Begun, Control, NewEvent, StopReason, TaskLogObject } from "./protocol.ts";
import { executeHere } from "./execute-here.ts";
import { OpenStreams } from "./open-streams.ts";
import { Reader, toSse } from "./reader.ts";
import { PARKED_COLUMN, RUN_TABLES, RunState } from "./run-state.ts";
import { taskLogSettings, type TaskLogSettings } from "./settings.ts";
import { Watchdog } from "./watchdog.ts";

/** Its versions, oldest first; steps are only appended. */
const SCHEMA = [`${EVENT_TABLES}${RUN_TABLES}`, PARKED_COLUMN];

/**
 * One object per agent task: its events, its executor, and its readers. Storage is authoritative; memory holds only the
 * live readers. Kept TASK_LOG_RETENTION_DAYS after the end, then deleted.
 */
export class TaskLog extends DurableObject<object> implements TaskLogObject {
  readonly #settings: TaskLogSettings;
  #opened: { events: EventStore; run: RunState } | undefined;
  readonly #audience = new Audience();
  readonly #streams = new OpenStreams();

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    this.#settings = taskLogSettings(env);
  }

  async open(taskId: string): Promise<void> {
    // The alarm is set in the same turn as the row, so that both are one write and no open log lacks its watchdog.
    if (this.#store.run.open(taskId, Date.now())) {
      await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    }
  }

  async launch(taskId: string, shareOf: string | undefined): Promise<void> {
    await this.#execute({ taskId, step: 1 }, shareOf);
  }

  async goOn(shareOf: string | undefined): Promise<void> {
    const next = this.#store.run.unpark(Date.now());
    if (!next) return;
    await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    await this.#execute(next, shareOf);
  }

  /** The call goes out once the lease is stored, and this object stays while it lasts. */
  async #execute({ taskId, step }: { taskId: string; step: number }, shareOf: string | undefined) {
    const begun = await this.begin(taskId, step);
    if (begun.kind === "skip" || begun.kind === "busy") return;
    const { run } = this.#store;
    const { services } = this.#settings;
    this.ctx.waitUntil(
      executeHere(
        { exports: this.ctx.exports, run, services, now: Date.now },
        { taskId, step, begun, shareOf },
      ),
    );
  }

  // ── The executor ───────────────────────────────────────────────────

  async begin(taskId: string, step: number): Promise<Begun> {
    const { stallMs, maxAttempts } = this.#settings;
    if (step === 1) await this.open(taskId);
    const { events, run } = this.#store;
    return run.begin(step, events.lastId, { now: Date.now(), stallMs, maxAttempts });
  }

  async ping(generation: number): Promise<Control> {
    return this.#store.run.ping(generation, Date.now());
  }

  async append(generation: number, addition: Addition): Promise<Control> {
    const { events, run } = this.#store;
    const control = run.control(generation);
    if (control.stale || run.closed) return { ...control, stale: true };
    if (!run.advance(addition, Date.now())) return control;
    this.#audience.tell(events.append(addition.events));
    return control;
  }

  async endStep(generation: number): Promise<number | undefined> {
    const { run } = this.#store;
    return run.control(generation).stale ? undefined : run.endStep(Date.now());
  }

  async park(generation: number, until: number): Promise<void> {
    const { run } = this.#store;
    const { stale, stop } = run.control(generation);
    if (stale) return;
    run.park(Date.now(), until);
    // A task that was stopped since the executor last heard of it does not wait, and only the watchdog would wake it.
    await this.ctx.storage.setAlarm(stop === null ? until : Date.now() + this.#settings.stallMs);
  }

  async release(generation: number): Promise<void> {
    const { run } = this.#store;
    if (!run.control(generation).stale) run.release(Date.now());
  }

  async close(generation: number, last: readonly NewEvent[], settled: boolean): Promise<void> {
    const { events, run } = this.#store;
    if (run.control(generation).stale) return;
    if (!run.closed) this.#audience.tell(events.append(last));
    run.close(Date.now(), settled);
    this.#audience.dismiss();
    const { retentionMs, stallMs } = this.#settings;
    await this.ctx.storage.setAlarm(Date.now() + (settled ? retentionMs : stallMs));
  }

  async settle(): Promise<void> {
    const { run } = this.#store;
    if (!run.closed) return;
    run.settle();
    await this.ctx.storage.setAlarm(Date.now() + this.#settings.retentionMs);
  }

  async requestStop(reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown"> {
    const state = this.#store.run.requestStop(reason);
    // A parked task need not wait any longer; if its step is not published, the watchdog publishes it.
    if (state === "begun") await this.ctx.storage.setAlarm(Date.now() + this.#settings.stallMs);
    return state;
  }

  // ── Readers: replay, then follow ───────────────────────────────────

  async lastEvent(): Promise<{ id: number; isEnd: boolean }> {
    const { events, run } = this.#store;
    return { id: events.lastId, isEnd: run.closed };
  }

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const openFor = searchParams.get("open");
    if (openFor !== null) await this.open(openFor);
    const { events, run } = this.#store;
    if (!run.known) return new Response(null, { status: 404 });
    const after = Number(searchParams.get("after") ?? 0);
    if (after >= events.lastId && run.closed) return new Response(null, { status: 204 });
    // The reader claims an event that does not exist: later events would reuse its ids.
    if (after > events.lastId) return new Response(null, { status: 416 });
    const person = searchParams.get("reader");
    if (person !== null && isFull(this.#streams.of(person), this.#settings.maxStreams))
      return new Response(null, { status: 429 });
    const { readable, writable } = new IdentityTransformStream();
    const reader = new Reader(writable, (gone) => this.#audience.leave(gone));
    if (person !== null) this.#streams.add(reader, person);
    this.ctx.waitUntil(this.#replay(reader, after));
    return new Response(readable, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      },
    });
  }

  /**
   * Pages are sent with backpressure; the last page and the subscription share one synchronous turn, so no event is
   * lost between them.
   */
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

  // ── Alarm: watch over the task, in the end delete the log ───────────────

  override async alarm(): Promise<void> {
    const goOn = () => this.goOn(undefined);
    const watchdog = new Watchdog(this.#store.run, this.ctx.storage, this.#settings, goOn);
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
