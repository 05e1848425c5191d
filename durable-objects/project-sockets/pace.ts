/** Bytes sent to one socket per second, and at once after a quiet second. */
const BYTES_PER_SECOND = 1024 * 1024;

/**
 * Limits the rate of writes to one socket. workerd does not show how much of the sent data was received (there is no
 * `bufferedAmount`), so a stalled reader is recognised only when its connection ends. Until then its buffer grows at
 * most at this rate; faster output waits in the runtime, which keeps the newest.
 */
export class Pace {
  #free = BYTES_PER_SECOND;
  #at = Date.now();

  /** Waits until the bytes may be sent. */
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
