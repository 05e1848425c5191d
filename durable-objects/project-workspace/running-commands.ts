import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { CommandOptions } from "./protocol.ts";
import { runCommand, type CommandSurroundings } from "./run-command.ts";
import { Running } from "./running.ts";
import type { FileGate } from "./storage-gate.ts";

/** The commands that are running. */
export class RunningCommands {
  readonly #surroundings: CommandSurroundings;
  readonly #gate: FileGate;
  readonly #running = new Running();

  constructor(surroundings: CommandSurroundings, gate: FileGate) {
    this.#surroundings = surroundings;
    this.#gate = gate;
  }

  /** Runs a command under an id by which `end` can end it. */
  async run(id: string, command: string, options: CommandOptions): Promise<ExecResult> {
    this.#gate.checkChange("");
    return this.#running.run(id, (cancelled) => runCommand(this.#surroundings, command, options, cancelled));
  }

  /** Ends a command; ignores one that has ended. */
  end(id: string): void {
    this.#running.end(id);
  }

  endAll(): void {
    this.#running.endAll();
  }
}
