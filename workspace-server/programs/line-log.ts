import { StringDecoder } from "node:string_decoder";
import { Change } from "./change.ts";

const MAX_LINES = 2000;
/** A longer line is cut into several. */
const MAX_LINE_CHARACTERS = 16 * 1024;

/** The last lines of a program's output, for readers and watchers. */
export class LineLog {
  #lines: string[] = [];
  /** Number of lines before the stored ones. */
  #dropped = 0;
  /** Number of lines before those of the newest program. */
  #before = 0;
  readonly #change = new Change();

  /** Returns a writer for one stream, whose output becomes lines of this log. `end` adds an unfinished last line. */
  source(): { write(chunk: Uint8Array): void; end(): void } {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    return {
      write: (chunk) => {
        const lines = (rest + decoder.write(Buffer.from(chunk))).split("\n");
        rest = lines.pop() ?? "";
        while (rest.length > MAX_LINE_CHARACTERS) {
          lines.push(rest.slice(0, MAX_LINE_CHARACTERS));
          rest = rest.slice(MAX_LINE_CHARACTERS);
        }
        this.add(lines);
      },
      end: () => {
        rest += decoder.end();
        if (rest !== "") this.add([rest]);
        rest = "";
      },
    };
  }

  /** Later lines belong to another program. */
  beginRun(): void {
    this.#before = this.#dropped + this.#lines.length;
  }

  /** Returns the last lines, optionally of the newest program only. */
  tail(lines: number, { ofLastRun }: { ofLastRun: boolean }): string[] {
    if (lines === 0) return [];
    const from = ofLastRun ? Math.max(this.#before - this.#dropped, 0) : 0;
    return this.#lines.slice(from).slice(-lines);
  }

  /** Yields the last lines and then new ones, until the signal aborts. A slow reader misses lines. */
  async *watch(lines: number, signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
    let next = this.#dropped + Math.max(this.#lines.length - lines, 0);
    while (!signal.aborted) {
      const missed = this.#lines.slice(Math.max(next - this.#dropped, 0));
      next = this.#dropped + this.#lines.length;
      if (missed.length > 0) yield Buffer.from(missed.map((line) => `${line}\n`).join(""));
      else await this.#change.next(signal);
    }
  }

  add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines.push(...lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)));
    const excess = this.#lines.length - MAX_LINES;
    if (excess > 0) {
      this.#lines = this.#lines.slice(excess);
      this.#dropped += excess;
    }
    this.#change.announce();
  }
}
