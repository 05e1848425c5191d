/**
 * Characters sent to a client since it was last heard. workerd does not show how much of the sent data was received (there
 * is no `bufferedAmount`), so a client that is sent much and says nothing, not even a ping, counts as stalled.
 */
export class Unheard {
  readonly #lastPing: () => number;
  #characters = 0;
  #heardPing = 0;

  /**
   * `lastPing` returns when a ping was last replied to without waking the object, in milliseconds since the epoch, or 0.
   */
  constructor(lastPing: () => number) {
    this.#lastPing = lastPing;
  }

  get characters(): number {
    const ping = this.#lastPing();
    if (ping > this.#heardPing) {
      this.#heardPing = ping;
      this.#characters = 0;
    }
    return this.#characters;
  }

  sent(characters: number): void {
    this.#characters += characters;
  }

  /** The client has sent a frame. */
  heard(): void {
    this.#characters = 0;
  }
}
