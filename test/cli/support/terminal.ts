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
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Ends the command line by a signal, as a person or the system does from elsewhere. */
  kill(signal: NodeJS.Signals): void;
  /** The exit code. */
  readonly ended: Promise<number>;
}

export const CTRL_C = "\u0003";

export function onTerminal(machine: Machine, args: readonly string[]): PersonsTerminal {
  return spawned(machine, process.execPath, [machine.program, ...args], (pid) => pid);
}

/** Told after the command line when the terminal's own settings are as before it. */
export const SAME_SETTINGS = "The settings are the same";

/** As `onTerminal`, and tells the exit code, as `code 0`, and whether the terminal's settings are the same, on the terminal. */
export function onCheckedTerminal(machine: Machine, args: readonly string[]): PersonsTerminal {
  const script = `before=$(stty -g); "$@"; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo "${SAME_SETTINGS}" || echo "The settings have changed"`;
  return spawned(
    machine,
    "sh",
    ["-c", script, "sh", process.execPath, machine.program, ...args],
    // The only child of the shell.
    (pid) => Number(execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })),
  );
}

function spawned(
  machine: Machine,
  program: string,
  args: readonly string[],
  pidOf: (child: number) => number,
): PersonsTerminal {
  const child = spawn(program, [...args], {
    name: "xterm-256color",
    cols: 100,
    rows: 30,
    cwd: machine.home,
    env: { ...machine.environment, TERM: "xterm-256color" },
  });
  let shown = "";
  child.onData((data) => (shown += data));
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    shown: () => shown,
    until: (words) =>
      vi.waitFor(
        () => {
          const isThere = typeof words === "string" ? shown.includes(words) : words.test(shown);
          if (!isThere) throw new Error(`So far: ${JSON.stringify(shown)}`);
          return shown;
        },
        { interval: 20 },
      ),
    type: (keys) => child.write(keys),
    resize: (columns, rows) => child.resize(columns, rows),
    kill: (signal) => process.kill(pidOf(child.pid), signal),
    ended,
  };
}
