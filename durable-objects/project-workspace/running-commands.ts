import type { FileGate } from "./storage-gate.ts";
import type { ProjectFiles } from "./project-files.ts";
import { runCommand, type CommandOptions, type CommandResult } from "./run-command.ts";
import { Running } from "./running.ts";

/** The commands that run at the moment. */
export class RunningCommands {
  readonly #files: ProjectFiles;
  readonly #gate: FileGate;
  readonly #running = new Running();

  constructor(files: ProjectFiles, gate: FileGate) {
    this.#files = files;
    this.#gate = gate;
  }

  /** Run a command under a name by which `end` can end it. */
  async run(id: string, command: string, options: Omit<CommandOptions, "cancelled">): Promise<CommandResult> {
    this.#gate.checkChange("");
    return this.#running.run(id, (cancelled) => runCommand(this.#files, command, { ...options, cancelled }));
  }

  /** End a command; one that has ended is left in peace. */
  end(id: string): void {
    this.#running.end(id);
  }

  endAll(): void {
    this.#running.endAll();
  }
}
