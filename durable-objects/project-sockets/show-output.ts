import { AppError } from "#src/lib/errors.ts";
import type { ProjectShells } from "#src/platform/runtime/project-shells.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Bytes of one frame, before JSON encoding. */
const FRAME_BYTES = 64 * 1024;
/** Consecutive failures of the runtime after which the output ends. */
const MAX_FAILURES = 5;
const PAUSE_MS = 500;

interface Show {
  /** Position to start at. */
  position: number;
  /** Ends the output; later failures are ignored. */
  signal: AbortSignal;
  /** Receives text, the position after it, and its number of bytes; the next text waits for it. */
  show: (text: string, position: number, bytes: number) => Promise<void>;
}

type Shells = Pick<ProjectShells, "readShell" | "watchShell">;

/**
 * Shows a session's output from a position on, in whole characters, until it is over or `signal` aborts. Returns the
 * exit code; null if the session is lost. A failing runtime is retried a few times, then its failure is thrown.
 */
export async function showOutput(
  runtime: Shells,
  id: string,
  { position, signal, show }: Show,
): Promise<number | null> {
  const output = new Output(position, show);
  for (let failures = 0; !signal.aborted;) {
    try {
      const { data, start, end, ended, exitCode } = await runtime.readShell(id, output.read);
      await output.add(data, start);
      if (ended && data.length === 0) {
        await output.flush();
        return exitCode;
      }
      failures = 0;
      if (ended || data.length > 0) continue;
      const before = output.read;
      await follow(await runtime.watchShell(id, end), output, signal);
      if (output.read === before) await pause(PAUSE_MS);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof AppError && (error.code === "not_found" || error.code === "asleep")) return null;
      failures += 1;
      if (failures > MAX_FAILURES || (error instanceof AppError && !error.retryable)) throw error;
      await pause(failures * PAUSE_MS);
    }
  }
  return null;
}

async function follow(
  stream: ReadableStream<Uint8Array>,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      await output.add(value, output.read);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => undefined);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Decodes bytes into text. */
class Output {
  /** Position after the last byte that was read. */
  read: number;
  readonly #show: Show["show"];
  /** The beginning of a character whose end has not arrived yet. */
  #rest: Uint8Array = new Uint8Array();

  constructor(position: number, show: Show["show"]) {
    this.read = position;
    this.#show = show;
  }

  async add(bytes: Uint8Array, start: number): Promise<void> {
    // The output in between is no longer stored, so the rest of this character is lost.
    if (start > this.read) this.#rest = new Uint8Array();
    this.read = start;
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      const part = bytes.subarray(at, at + FRAME_BYTES);
      const joined = new Uint8Array(this.#rest.length + part.length);
      joined.set(this.#rest);
      joined.set(part, this.#rest.length);
      this.read += part.length;
      const whole = wholeCharacters(joined);
      this.#rest = joined.slice(whole);
      if (whole > 0) await this.#give(joined.subarray(0, whole));
    }
  }

  /** At the end of the output an unfinished character is shown as a replacement character. */
  async flush(): Promise<void> {
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    if (rest.length > 0) await this.#give(rest);
  }

  async #give(bytes: Uint8Array): Promise<void> {
    // A byte order mark is part of the text.
    const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
    await this.#show(text, this.read - this.#rest.length, bytes.length);
  }
}
