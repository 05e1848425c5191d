/** A connection that is back sooner is not worth a line among a program's output. */
const PATIENCE_MS = 2_000;

/** Tells that the connection of a shell is lost, and that it is back. */
export class ConnectionNotices {
  readonly #tell: (words: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #isLossTold = false;

  /** `tell` is not called while `isDisturbing` says that a line would disturb what is on the screen. */
  constructor(tell: (words: string) => void, isDisturbing: () => boolean) {
    this.#tell = (words) => {
      if (!isDisturbing()) tell(words);
    };
  }

  /** Takes a change of the connection in. */
  take(isConnected: boolean): void {
    this.close();
    if (!isConnected) {
      this.#timer = setTimeout(() => {
        this.#isLossTold = true;
        this.#tell("The connection is lost. It is tried again; ~. on a new line leaves.");
      }, PATIENCE_MS);
    } else if (this.#isLossTold) {
      this.#isLossTold = false;
      this.#tell("The connection is back.");
    }
  }

  /** Tells nothing more of what has happened. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
