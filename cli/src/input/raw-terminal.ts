import type { ReadStream } from "node:tty";
import { constants } from "node:os";

/** Signals that end a process; its exit code is 128 and their number. SIGINT is handled for all commands. */
const ENDING = ["SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Has the terminal pass every key on as it is typed, until the returned function is called or the process ends, by an error
 * or a signal as well. `undo` is called once, after the terminal passes lines again.
 */
export function makeRaw(stdin: ReadStream, undo: () => void): () => void {
  const before = stdin.isRaw;
  let isRestored = false;
  const restore = () => {
    if (isRestored) return;
    isRestored = true;
    try {
      stdin.setRawMode(before);
      undo();
    } catch {
      // After a hang-up there is no terminal to restore.
    }
    stdin.pause();
    process.off("exit", restore);
    for (const signal of ENDING) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    restore();
    process.exit(128 + constants.signals[signal]);
  };
  process.on("exit", restore);
  for (const signal of ENDING) process.on(signal, end);
  stdin.setRawMode(true);
  stdin.resume();
  return restore;
}
