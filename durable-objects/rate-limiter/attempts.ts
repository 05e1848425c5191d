import type { AttemptDecision, AttemptWindow } from "./protocol.ts";
import { decide, stillCounts } from "./window.ts";

const KEY = "attempts";

/** The whole state in one value, so that an attempt costs one write. Times are milliseconds since the epoch. */
export interface StoredAttempts {
  /** Oldest first. Never longer than the limit. */
  attempts: readonly { receipt: string; at: number }[];
  /** Window of the latest attempt; older attempts no longer count. */
  windowMs: number;
  alarmAt: number;
}

/** The part of an object's storage that is used. */
export interface AttemptStorage {
  kv: {
    get(key: string): StoredAttempts | undefined;
    put(key: string, value: StoredAttempts): void;
  };
  setAlarm(at: number): Promise<void>;
  deleteAll(): Promise<void>;
}

/**
 * Counts the attempts of one subject in a window that outlives the object's memory. Exact: reading, deciding and
 * writing are one synchronous turn. The limit comes with every attempt, so a changed setting applies from the next one
 * on.
 */
export class Attempts {
  readonly #storage: AttemptStorage;
  /** Copy of the stored value, once it has been read. A write that fails resets the object and this copy with it. */
  #stored: StoredAttempts | undefined;

  constructor(storage: AttemptStorage) {
    this.#storage = storage;
  }

  /** Counts one attempt if it is allowed; a refused attempt leaves no trace. */
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
    // An overdue alarm may never run; it is set in the same write as the data that it clears.
    const isArmed = alarmAt > now;
    const nextAlarm = isArmed ? alarmAt : now + window.windowMs;
    this.#write({ attempts: [...counted, attempt], windowMs: window.windowMs, alarmAt: nextAlarm });
    if (!isArmed) await this.#storage.setAlarm(nextAlarm);
    return { ...decision, receipt };
  }

  /** Removes an attempt from the count. Idempotent. */
  giveBack(receipt: string): void {
    const stored = this.#read();
    const attempts = stored.attempts.filter((attempt) => attempt.receipt !== receipt);
    if (attempts.length < stored.attempts.length) this.#write({ ...stored, attempts });
  }

  /** Clears attempts that no longer count; without any left, all storage is deleted. Called by the object's alarm. */
  async forget(now: number): Promise<void> {
    // By then all current attempts have expired. Set first, because an alarm that fails too often is dropped for good.
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
