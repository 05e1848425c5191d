import type { Reader } from "./reader.ts";

/** The streams of a task that are open, by the person who reads. Streams of the service itself are not counted. */
export class OpenStreams {
  readonly #readers = new Map<Reader, string>();

  add(reader: Reader, person: string): void {
    this.#readers.set(reader, person);
  }

  of(person: string): number {
    let open = 0;
    for (const [reader, each] of this.#readers) {
      if (reader.gone) this.#readers.delete(reader);
      else if (each === person) open += 1;
    }
    return open;
  }
}
