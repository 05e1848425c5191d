import { execFileSync } from "node:child_process";
import { spawn } from "@lydell/node-pty";
import { vi } from "vitest";
import type { Machine } from "./machine.ts";

/** The command line on a pseudo-terminal, as a person has it. */
export interface PersonsTerminal {
  /** Everything that was shown so far. */
  shown(): string;
  /** Resolves when this was shown, to all that was. */
  until(words: string | RegExp): Promise<string>;
  /** Resolves when the command line has ended, to all that was shown. Last are its exit code, as `code 0`, and `SAME_SETTINGS`. */
  over(): Promise<string>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Ends the command line by a signal, as a person or the system does from elsewhere. */
  kill(signal: NodeJS.Signals): void;
  /** The exit code. */
  readonly ended: Promise<number>;
}

export const CTRL_C = "\u0003";

/** Told on the terminal after the command line when the terminal's own settings are as before it. */
export const SAME_SETTINGS = "The settings are the same";

/**
 * Around the command line, which is its only child. It outlives it until all was read: a pseudo-terminal whose last process
 * has ended may be closed with what it still holds. Ctrl-C is for the command line alone, and takes no output with it: by
 * default a terminal forgets at Ctrl-C what was written and not yet read, so that a busy test would wait for words for ever.
 */
const SHELL = `trap : INT; stty noflsh; before=$(stty -g); "$@"; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo "${SAME_SETTINGS}" || echo "The settings have changed"; read -r _`;
const OVER = /code (\d+)\r?\n[^]*The settings (?:are the same|have changed)\r?\n/u;

export function onTerminal(machine: Machine, args: readonly string[]): PersonsTerminal {
  const child = spawn("sh", ["-c", SHELL, "sh", process.execPath, machine.program, ...args], {
    name: "xterm-256color",
    cols: 100,
    rows: 30,
    cwd: machine.home,
    env: { ...machine.environment, TERM: "xterm-256color" },
  });
  let shown = "";
  const ended = new Promise<number>((resolve) => {
    const reading = child.onData((data) => {
      shown += data;
      const [, code] = OVER.exec(shown) ?? [];
      if (code === undefined) return;
      reading.dispose();
      child.write("\n");
      resolve(Number(code));
    });
  });
  const until: PersonsTerminal["until"] = (words) =>
    vi.waitFor(
      () => {
        const isThere = typeof words === "string" ? shown.includes(words) : words.test(shown);
        if (!isThere) throw new Error(`So far: ${JSON.stringify(shown)}`);
        return shown;
      },
      { interval: 20 },
    );
  return {
    shown: () => shown,
    until,
    over: () => until(OVER),
    type: (keys) => child.write(keys),
    resize: (columns, rows) => child.resize(columns, rows),
    kill: (signal) => {
      const pid = execFileSync("pgrep", ["-P", String(child.pid)], { encoding: "utf8" });
      process.kill(Number(pid), signal);
    },
    ended,
  };
}
