/** Most bytes of one output stream that are kept: the first and the last half of a longer one. */
const MAX_OUTPUT = 1024 * 1024;

/** Output of a program, without the middle of a long one. */
export class BoundedOutput {
  readonly #half: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #leftOut = 0;

  constructor(max = MAX_OUTPUT) {
    this.#half = Math.floor(max / 2);
  }

  add(chunk: Uint8Array): void {
    const first = chunk.subarray(0, this.#half - this.#headBytes);
    if (first.byteLength > 0) this.#head.push(first);
    this.#headBytes += first.byteLength;
    const rest = chunk.subarray(first.byteLength);
    if (rest.byteLength === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.byteLength;
    if (this.#tailBytes > 2 * this.#half) this.#shorten();
  }

  text(): string {
    this.#shorten();
    const tail = Buffer.concat(this.#tail);
    const head = Buffer.concat(this.#head);
    if (this.#leftOut === 0) return Buffer.concat([head, tail]).toString("utf8");
    return `${head.toString("utf8")}\n[… ${this.#leftOut} bytes left out …]\n${tail.toString("utf8")}`;
  }

  #shorten(): void {
    const excess = this.#tailBytes - this.#half;
    if (excess <= 0) return;
    this.#tail = [Buffer.concat(this.#tail).subarray(excess)];
    this.#tailBytes -= excess;
    this.#leftOut += excess;
  }
}
