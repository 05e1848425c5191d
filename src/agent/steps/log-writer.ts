import type { Addition, Control, NewEvent, StopReason, TurnRecord } from "#src/platform/objects/task-logs.ts";

/** How long additions are gathered before a write: about 20 pieces of text a second. */
const PAUSE_MS = 50;
/** Text after a silence, as of a model that is slow or begins, is gathered only for so long: an instant answer is one write. */
const FIRST_PAUSE_MS = 5;
/** The same in a step that has used up half its writes; the platform limits the writes of one step. */
const SPARING_PAUSE_MS = 1000;
const ATTEMPTS = 3;
const RETRY_PAUSE_MS = 200;

/** A newer executor has the task; this one has nothing left to do. */
export class SupersededError extends Error {
  override name = "SupersededError";
}

/** The task was asked to stop. */
export class StoppedError extends Error {
  override name = "StoppedError";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`Task stopped: ${reason}`);
    this.reason = reason;
  }
}

export interface LogWriterOptions {
  append(addition: Addition): Promise<Control>;
  /** Makes the event for a piece of text. */
  textEvent(text: string): NewEvent;
  /** Called once with a `SupersededError` or `StoppedError` when the log says so. */
  onStop(error: SupersededError | StoppedError): void;
  /** Number of writes after which text is gathered longer. */
  sparingAfter: number;
}

type Waiting = Omit<Addition, "sequence"> & { events: NewEvent[]; records: TurnRecord[] };

/** Writes to the task's log in order, one write at a time: what is added during a write goes into the next one. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  #waiting: Waiting = { events: [], records: [] };
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #draining: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;
  #sequence = 0;
  /** When the last write began, in milliseconds since 1970. */
  #wroteAt = 0;
  #stopped = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Writes made so far. */
  get writes(): number {
    return this.#sequence;
  }

  /** Adds a piece of the model's text; written soon, together with its neighbours. */
  text(piece: string): void {
    this.#text += piece;
    const isFirst = Date.now() >= this.#wroteAt + PAUSE_MS && this.#text === piece;
    this.#writeSoon(isFirst ? FIRST_PAUSE_MS : PAUSE_MS);
  }

  /** Adds events and records in one write, after everything added before; written soon, or with the next flush. */
  add(addition: { events?: NewEvent[]; records?: TurnRecord[]; storedTurns?: number }): void {
    this.#takeText();
    this.#waiting.events.push(...(addition.events ?? []));
    this.#waiting.records = [...(this.#waiting.records ?? []), ...(addition.records ?? [])];
    if (addition.storedTurns !== undefined) this.#waiting.storedTurns = addition.storedTurns;
    this.#writeSoon();
  }

  /**
   * Resolves when everything added is durable. Once a write has failed every flush throws, because nothing may be
   * written after a lost write.
   */
  async flush(): Promise<void> {
    this.#takeText();
    if (this.#failure) throw this.#failure.error;
    while (this.#draining || this.#hasWaiting) {
      this.#draining ??= this.#drain().finally(() => (this.#draining = undefined));
      await this.#draining;
    }
  }

  /** Obeys what the log returned for a write or ping. */
  heed(control: Control): void {
    if (this.#stopped || (!control.stale && control.stop === null)) return;
    this.#stopped = true;
    this.#options.onStop(
      control.stale || control.stop === null
        ? new SupersededError("A newer executor has the task")
        : new StoppedError(control.stop),
    );
  }

  get #hasWaiting(): boolean {
    const { events, records, storedTurns } = this.#waiting;
    return events.length > 0 || records.length > 0 || storedTurns !== undefined;
  }

  async #drain(): Promise<void> {
    while (this.#hasWaiting) {
      const batch = this.#waiting;
      this.#waiting = { events: [], records: [] };
      this.#sequence += 1;
      this.#wroteAt = Date.now();
      this.heed(await this.#append({ ...batch, sequence: this.#sequence }));
    }
  }

  async #append(addition: Addition): Promise<Control> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.append(addition);
      } catch (error) {
        if (attempt === ATTEMPTS) {
          this.#failure = { error };
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * attempt));
      }
    }
  }

  /**
   * Schedules a write, so that readers see what happens even if the model or a tool then produces nothing for a long
   * time.
   */
  #writeSoon(after = PAUSE_MS): void {
    const pause = this.#sequence < this.#options.sparingAfter ? after : SPARING_PAUSE_MS;
    if (pause < PAUSE_MS) this.#stopTimer();
    this.#timer ??= setTimeout(() => {
      // The failure is kept and thrown by the next awaited flush.
      this.flush().catch(() => {});
    }, pause);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #takeText(): void {
    this.#stopTimer();
    if (this.#text === "") return;
    this.#waiting.events.push(this.#options.textEvent(this.#text));
    this.#text = "";
  }
}
