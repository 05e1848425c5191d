import { RedisError } from "./reply.ts";

/** Reads a command's arguments from left to right. */
export class ArgumentReader {
  readonly #args: readonly string[];
  #next = 0;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get left(): number {
    return this.#args.length - this.#next;
  }

  text(): string {
    const value = this.#args[this.#next];
    if (value === undefined) throw new RedisError("ERR wrong number of arguments");
    this.#next += 1;
    return value;
  }

  integer(): number {
    const value = this.text();
    if (!/^-?\d+$/u.test(value)) throw new RedisError("ERR value is not an integer or out of range");
    return Number(value);
  }

  rest(): string[] {
    const values = this.#args.slice(this.#next);
    this.#next = this.#args.length;
    return values;
  }

  /** Consumes the next argument if it is this word, ignoring case. */
  takes(word: string): boolean {
    if (this.#args[this.#next]?.toUpperCase() !== word) return false;
    this.#next += 1;
    return true;
  }

  /** Throws if arguments are left. */
  end(): void {
    if (this.left > 0) throw new RedisError("ERR syntax error");
  }
}
