/** Keeps the newest of what was made for a key: `of` makes what is not kept. */
export class KeepNewest<Value> {
  readonly #kept = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(key: string, make: () => Value): Value {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const value = make();
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= this.#limit && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, value);
    return value;
  }
}
