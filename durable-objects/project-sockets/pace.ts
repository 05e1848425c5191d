/** Bytes that are sent to one socket in a second, and at once after a quiet second. */
const BYTES_PER_SECOND = 1024 * 1024;

/**
 * How fast one socket is written to. workerd does not tell how much of what was sent has been taken (there is no
 * `bufferedAmount`), so that a reader who stands still is told from a quick one only by its connection's end. Until then what
 * waits for it grows no faster than this; what comes faster waits in the runtime, which keeps the newest.
 */
export class Pace {
  #free = BYTES_PER_SECOND;
  #at = Date.now();

  /** Wait until so many bytes may be sent. */
  async take(bytes: number): Promise<void> {
    const now = Date.now();
    this.#free = Math.min(BYTES_PER_SECOND, this.#free + ((now - this.#at) / 1000) * BYTES_PER_SECOND);
    this.#at = now;
    this.#free -= bytes;
    if (this.#free >= 0) return;
    const ms = (-this.#free / BYTES_PER_SECOND) * 1000;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
