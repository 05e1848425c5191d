import { emitKeypressEvents } from "node:readline";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";

/** What a person answers: allow once, allow this tool in this chat, or deny. */
export type Verdict = "allow_once" | "allow_all" | "stop";

const VERDICTS: Readonly<Record<string, Verdict>> = { y: "allow_once", a: "allow_all", n: "stop" };

/** What was typed before the question was there is no answer to it. Milliseconds to read and forget it. */
const TYPED_AHEAD_MS = 50;

/** A key as Node's keypress events tell it. */
interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/**
 * Waits for one of the keys y, a and n. Undefined when the signal ends the question. `show` prints the question, when the
 * terminal is ready for the answer; `interrupt` is called for Ctrl-C, which is a key like others meanwhile. The terminal is as
 * before afterwards, also when the process ends.
 */
export async function askVerdict(
  stdin: NodeJS.ReadableStream & { setRawMode(isRaw: boolean): unknown },
  { show, interrupt, signal }: { show: () => void; interrupt: () => void; signal: AbortSignal },
): Promise<Verdict | undefined> {
  if (signal.aborted) return undefined;
  const restore = () => void stdin.setRawMode(false);
  emitKeypressEvents(stdin);
  process.once("exit", restore);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    await pause(TYPED_AHEAD_MS);
    // A busy process sees that the time is over before it has read anything.
    await turn();
    if (signal.aborted) return undefined;
    return await new Promise((resolve) => {
      const end = (verdict: Verdict | undefined) => {
        stdin.off("keypress", press);
        signal.removeEventListener("abort", abort);
        resolve(verdict);
      };
      const abort = () => end(undefined);
      const press = (text: string | undefined, key: Key | undefined) => {
        if (key?.ctrl === true && key.name === "c") return interrupt();
        const verdict = VERDICTS[(text ?? "").toLowerCase()];
        if (verdict) end(verdict);
      };
      stdin.on("keypress", press);
      signal.addEventListener("abort", abort, { once: true });
      show();
    });
  } finally {
    restore();
    process.off("exit", restore);
    stdin.pause();
  }
}
