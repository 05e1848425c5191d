import {
  Attempts,
  type AttemptStorage,
  type StoredAttempts,
} from "#durable-objects/rate-limiter/attempts.ts";
import type { AttemptLimits, AttemptRule } from "#src/domain/operations/limits/index.ts";

/** An object's storage in memory. Values are copied, as storage does. */
export class MemoryStorage implements AttemptStorage {
  readonly values = new Map<string, StoredAttempts>();
  alarmAt: number | undefined;
  /** How often a value was written. */
  writes = 0;

  readonly kv: AttemptStorage["kv"] = {
    get: (key) => structuredClone(this.values.get(key)),
    put: (key, value) => {
      this.writes += 1;
      this.values.set(key, structuredClone(value));
    },
  };

  async setAlarm(at: number): Promise<void> {
    this.alarmAt = at;
  }

  async deleteAll(): Promise<void> {
    this.values.clear();
    this.alarmAt = undefined;
  }
}

/** Attempts counted as the objects count them, without objects. A rule that is not given is switched off. */
export class MemoryAttempts implements AttemptLimits {
  readonly #capacities: Partial<Record<AttemptRule, number>>;
  readonly #counters = new Map<string, Attempts>();
  /** Milliseconds since the epoch; stands still until a test moves it. */
  now = Date.UTC(2026, 0, 1);
  readonly windowMs = 900_000;

  constructor(capacities: Partial<Record<AttemptRule, number>> = {}) {
    this.#capacities = capacities;
  }

  get counters(): string[] {
    return [...this.#counters.keys()];
  }

  async take(rule: AttemptRule, counter: string) {
    const capacity = this.#capacities[rule] ?? 0;
    if (capacity === 0) return undefined;
    return this.#counter(counter).take({ capacity, windowMs: this.windowMs }, this.now);
  }

  async giveBack(counter: string, receipt: string): Promise<void> {
    this.#counter(counter).giveBack(receipt);
  }

  #counter(name: string): Attempts {
    const known = this.#counters.get(name) ?? new Attempts(new MemoryStorage());
    this.#counters.set(name, known);
    return known;
  }
}
