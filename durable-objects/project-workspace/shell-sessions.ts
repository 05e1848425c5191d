import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { CommandRunner } from "#src/platform/command-runner/command-runner.ts";
import type { ShellOptions, ShellOutput } from "#src/platform/runtime/project-shells.ts";
import { FileError } from "./file-error.ts";
import type { FileGate } from "./storage-gate.ts";
import type { ProjectFiles } from "./project-files.ts";
import { SessionLines } from "./session-lines.ts";
import type { ShellRecords } from "./shell-records.ts";
import { ShellSession } from "./shell-session.ts";

/** The project's shell sessions. They run in memory; their output is stored. Throws `FileError` and `AppError`. */
export class ShellSessions {
  readonly #project: string;
  readonly #files: ProjectFiles;
  readonly #runner: CommandRunner;
  readonly #gate: FileGate;
  readonly #records: ShellRecords;
  readonly #onEnd: () => void;
  readonly #log: Log;
  readonly #running = new Map<string, ShellSession>();
  readonly #watchers = new Set<{ id: string; wake: () => void }>();

  constructor(deps: {
    project: string;
    files: ProjectFiles;
    /** Runs their lines. */
    runner: CommandRunner;
    gate: FileGate;
    records: ShellRecords;
    /** Called when a session is over and will have to be deleted. */
    onEnd: () => void;
    log: Log;
  }) {
    this.#project = deps.project;
    this.#files = deps.files;
    this.#runner = deps.runner;
    this.#gate = deps.gate;
    this.#records = deps.records;
    this.#onEnd = deps.onEnd;
    this.#log = deps.log;
  }

  open(id: string, { command, cwd = "", env = {}, columns, rows }: ShellOptions): void {
    this.#gate.checkChange("");
    this.#runner.check();
    if (this.#records.has(id)) return;
    if (this.#files.tree.find(cwd, { follow: true })?.kind !== "directory")
      throw new FileError("ENOENT", cwd);
    const variables = { USER: "user", TERM: "xterm", COLUMNS: `${columns}`, LINES: `${rows}`, ...env };
    this.#records.add(id);
    const session = new ShellSession({
      lines: new SessionLines(
        { project: this.#project, files: this.#files, runner: this.#runner },
        { cwd, env: variables },
      ),
      show: (text) => {
        this.#records.append(id, new TextEncoder().encode(text));
        this.#wake(id);
      },
      ended: (exitCode, cause) => {
        if (cause !== undefined) this.#log.error("shell session broke", { cause });
        this.#end(id, exitCode);
      },
    });
    this.#running.set(id, session);
    session.start(command);
  }

  /** Throws `not_found`, and `conflict` for a session that is over. */
  write(id: string, data: string): void {
    const session = this.#running.get(id);
    if (session) return session.type(data);
    this.#records.isOver(id);
    throw new AppError("conflict", "The shell session is over");
  }

  /** Throws `not_found`. */
  read(id: string, position: number): ShellOutput {
    return this.#records.read(id, position);
  }

  /** Streams output from a position on until the session is over. Throws `not_found`. */
  watch(id: string, position: number): ReadableStream<Uint8Array> {
    this.#records.isOver(id);
    let next = position;
    const watcher = { id, wake: () => {} };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (this.#records.has(id)) {
            const { data, end, ended } = this.#records.read(id, next);
            // A position that the output has not reached yet waits for it.
            next = Math.max(next, end);
            if (data.length > 0) return controller.enqueue(data);
            if (ended) break;
            await new Promise<void>((resolve) => {
              watcher.wake = resolve;
              this.#watchers.add(watcher);
            });
            this.#watchers.delete(watcher);
          }
          controller.close();
        },
        cancel: () => void this.#watchers.delete(watcher),
      },
      { highWaterMark: 0 },
    );
  }

  /** Passes the size to later lines, which may adapt their output; throws `not_found`. */
  resize(id: string, columns: number, rows: number): void {
    this.#records.isOver(id);
    this.#running.get(id)?.resize(columns, rows);
  }

  close(id: string): void {
    this.#running.get(id)?.stop();
    this.#running.delete(id);
    this.#records.remove(id);
    this.#wake(id);
  }

  /** Ends every session; their output stays readable for a while. */
  endAll(): void {
    for (const [id, session] of this.#running) {
      session.stop();
      this.#end(id, null);
    }
  }

  #end(id: string, exitCode: number | null): void {
    this.#running.delete(id);
    this.#records.end(id, exitCode);
    this.#wake(id);
    this.#onEnd();
  }

  #wake(id: string): void {
    for (const watcher of this.#watchers) if (watcher.id === id) watcher.wake();
  }
}
