import type { AttemptDecision, AttemptWindow } from "./protocol.ts";
import { decide, stillCounts } from "./window.ts";

const KEY = "attempts";

/** All there is to know, as one value, so that an attempt costs one write. Times are milliseconds since the epoch. */
export interface StoredAttempts {
  /** Oldest first. Never longer than the limit. */
  attempts: readonly { receipt: string; at: number }[];
  /** Of the latest attempt; attempts that are older than this count no more. */
  windowMs: number;
  alarmAt: number;
}

/** What is used of an object's storage. */
export interface AttemptStorage {
  kv: {
    get(key: string): StoredAttempts | undefined;
    put(key: string, value: StoredAttempts): void;
  };
  setAlarm(at: number): Promise<void>;
  deleteAll(): Promise<void>;
}

/**
 * Counts the attempts of one subject in a window that outlives the object's memory. Exact: reading, deciding and writing
 * are one synchronous turn. The limit comes with every attempt, so a changed setting holds from the next one on.
 */
export class Attempts {
  readonly #storage: AttemptStorage;
  /** What storage holds, once it has been read. A write that fails takes the object and this copy with it. */
  #stored: StoredAttempts | undefined;

  constructor(storage: AttemptStorage) {
    this.#storage = storage;
  }

  /** Count one attempt, if it is let in; one that is refused leaves no trace. */
  async take(window: AttemptWindow, now: number): Promise<AttemptDecision> {
    const { attempts, alarmAt } = this.#read();
    const counted = attempts.filter(({ at }) => stillCounts(at, window, now));
    const decision = decide(
      counted.map(({ at }) => at),
      window,
      now,
    );
    if (!decision.allowed) return decision;
    const receipt = crypto.randomUUID();
    // The list stays in order when the clock steps back.
    const attempt = { receipt, at: Math.max(now, counted.at(-1)?.at ?? now) };
    // An alarm that is overdue may never come; it is set with the same write as what it is to clear.
    const isArmed = alarmAt > now;
    const nextAlarm = isArmed ? alarmAt : now + window.windowMs;
    this.#write({ attempts: [...counted, attempt], windowMs: window.windowMs, alarmAt: nextAlarm });
    if (!isArmed) await this.#storage.setAlarm(nextAlarm);
    return { ...decision, receipt };
  }

  /** Take an attempt out of the count. Safe to repeat. */
  giveBack(receipt: string): void {
    const stored = this.#read();
    const attempts = stored.attempts.filter((attempt) => attempt.receipt !== receipt);
    if (attempts.length < stored.attempts.length) this.#write({ ...stored, attempts });
  }

  /** Clear what counts no more; with nothing left the storage is empty, and fit for use. For the object's alarm. */
  async forget(now: number): Promise<void> {
    // By then all that counts now is over. First, because an alarm that fails too often is dropped for good.
    const alarmAt = now + this.#read().windowMs;
    await this.#storage.setAlarm(alarmAt);
    const stored = this.#read();
    const attempts = stored.attempts.filter(({ at }) => stillCounts(at, stored, now));
    if (attempts.length > 0) return this.#write({ ...stored, attempts, alarmAt });
    this.#stored = undefined; // this instance outlives its storage
    await this.#storage.deleteAll(); // the alarm too
  }

  #read(): StoredAttempts {
    this.#stored ??= this.#storage.kv.get(KEY) ?? { attempts: [], windowMs: 0, alarmAt: 0 };
    return this.#stored;
  }

  #write(stored: StoredAttempts): void {
    this.#storage.kv.put(KEY, stored);
    this.#stored = stored;
  }
}
