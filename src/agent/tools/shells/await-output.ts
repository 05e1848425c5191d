import type { AgentShells } from "#src/agent/services/shells.ts";
import { headAndTail } from "../bound-text.ts";
import { plainOutput } from "./plain-output.ts";

/** Reads of a session within one wait: each costs a few requests, and a step may make only a limited number. */
const LOOKS = 8;
const SHORTEST_LOOK_MS = 100;
/** Most bytes taken from a session at once; the next read returns the rest. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The same ratio as in `src/agent/context`. */
const CHARS_PER_TOKEN = 4;

export interface SessionOutput {
  /** The output, cut to its beginning and its end. */
  text: string;
  /** Size of all output before the cut. */
  bytes: number;
  truncated: boolean;
  status: "running" | "exited";
  exitCode: number | null;
}

/**
 * Returns the output of a session within the time given, or until its program ends. Ends early with the signal's
 * reason. Throws as `AgentShells.read` does.
 */
export async function awaitOutput(
  shells: AgentShells,
  id: string,
  options: { waitMs: number; maxTokens: number; signal: AbortSignal },
): Promise<SessionOutput> {
  const { waitMs, maxTokens, signal } = options;
  const collected = new Collected();
  const until = Date.now() + waitMs;
  const pause = Math.max(SHORTEST_LOOK_MS, Math.ceil(waitMs / LOOKS));
  for (let left = waitMs; left > 0 && !collected.isComplete; left = until - Date.now()) {
    await sleep(Math.min(pause, left), signal);
    collected.add(await shells.read(id));
  }
  // One read returns a mebibyte at most.
  for (let size = -1; size < collected.bytes && !collected.isComplete;) {
    size = collected.bytes;
    collected.add(await shells.read(id));
  }
  const whole = plainOutput(await collected.whole());
  const maxChars = maxTokens * CHARS_PER_TOKEN;
  return {
    text: headAndTail(whole, maxChars),
    bytes: collected.bytes,
    truncated: whole.length > maxChars,
    status: collected.ended ? "exited" : "running",
    exitCode: collected.ended ? await shells.exitCode(id) : null,
  };
}

/** The output read from a session so far. */
class Collected {
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  bytes = 0;
  ended = false;

  add({ data, ended }: Awaited<ReturnType<AgentShells["read"]>>): void {
    this.#parts.push(new Uint8Array(data));
    this.bytes += data.byteLength;
    this.ended = ended;
  }

  /** Whether the output has ended or its limit is reached. */
  get isComplete(): boolean {
    return this.ended || this.bytes >= MAX_BYTES;
  }

  async whole(): Promise<Uint8Array> {
    return new Uint8Array(await new Blob(this.#parts).arrayBuffer());
  }
}

/** Rejects with the signal's reason when it aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal.removeEventListener("abort", abort);
      resolve();
    }
    function abort() {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("Given up"));
    }
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
