import { isReading } from "#src/git/is-reading.ts";
import type { GitOperations, GitProgress } from "#src/git/protocol.ts";
import type { GitTransport } from "#src/git/transport.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { FileTransfer } from "./file-transfer.ts";
import { gitFiles } from "./git-files.ts";
import type { ProjectFiles } from "./project-files.ts";
import { Running } from "./running.ts";
import type { StorageGate } from "./storage-gate.ts";

/** Least time between two reports of the same phase. */
const PROGRESS_EVERY_MS = 250;

type Progress = ((progress: GitProgress) => unknown) | undefined;

/** Git operations over the project's files: changing operations run one at a time, the others beside them. */
export class GitRuns {
  readonly #files: ProjectFiles;
  readonly #transfer: FileTransfer;
  readonly #gate: StorageGate;
  readonly #transport: GitTransport;
  readonly #log: Log;
  readonly #running = new Running();
  #lastChange: Promise<unknown> = Promise.resolve();
  #clone: { term: number; id: string } | undefined;

  constructor(deps: {
    files: ProjectFiles;
    transfer: FileTransfer;
    gate: StorageGate;
    transport: GitTransport;
    log: Log;
  }) {
    this.#files = deps.files;
    this.#transfer = deps.transfer;
    this.#gate = deps.gate;
    this.#transport = deps.transport;
    this.#log = deps.log;
  }

  /** Runs one operation under an id by which `end` can end it. */
  run<Name extends keyof GitOperations>(
    id: string,
    name: Name,
    input: GitOperations[Name]["input"],
    onProgress: Progress,
  ): Promise<GitOperations[Name]["output"]> {
    return this.#running.run(id, async (signal) => {
      try {
        // Loaded on first use, like the shell.
        const { createGit } = await import("#src/git/index.ts");
        const act = (files: ProjectFiles) => {
          signal.throwIfAborted();
          return createGit({ files: gitFiles(files), transport: this.#transport }).run(name, input, {
            signal,
            onProgress: onProgress && sparing(onProgress),
          });
        };
        if (isReading(name)) {
          this.#gate.checkRead("");
          return await act(this.#files);
        }
        const term = "term" in input ? input.term : undefined;
        if (term !== undefined) this.#supersede(term, id);
        const turn = this.#lastChange.then(() => this.#change(name, term, act));
        this.#lastChange = turn.catch(() => undefined);
        return await turn;
      } catch (error) {
        throw this.#explained(error, name, signal);
      }
    });
  }

  /** Returns the error for the caller. If git does not know the reason, throws what the state of the files implies. */
  #explained(error: unknown, operation: keyof GitOperations, signal: AbortSignal): unknown {
    if (!(error instanceof AppError) || error.code === "internal") this.#gate.checkChange("");
    if (signal.aborted) return new AppError("unavailable", "Git was stopped", { cause: error });
    // The cause stays here: only a code and a sentence leave the object.
    if (error instanceof AppError && error.code === "internal") {
      this.#log.error("git failed", { operation, cause: error.cause });
    }
    return error;
  }

  /** Ends an operation; ignores one that has ended. */
  end(id: string): void {
    this.#running.end(id);
  }

  endAll(): void {
    this.#running.endAll();
  }

  /** Ends the clone of an earlier executor, whose result is no longer awaited. */
  #supersede(term: number, id: string): void {
    this.#gate.beginClone(term);
    if (this.#clone && this.#clone.term < term) this.#running.end(this.#clone.id);
    this.#clone = { term, id };
  }

  async #change<T>(
    name: keyof GitOperations,
    term: number | undefined,
    act: (files: ProjectFiles) => Promise<T>,
  ): Promise<T> {
    this.#gate.checkChange("");
    if (name !== "clone") return act(this.#files);
    return this.#transfer.stage(undefined, async (staged) => {
      const made = await act(staged);
      // The swap follows in the same turn.
      if (term !== undefined) this.#gate.checkClone(term);
      return made;
    });
  }
}

/** Drops most reports, because each costs a call across the object's boundary. Failed reports are ignored. */
function sparing(report: (progress: GitProgress) => unknown): (progress: GitProgress) => void {
  let phase = "";
  let next = 0;
  return (progress) => {
    if (progress.phase === phase && Date.now() < next) return;
    phase = progress.phase;
    next = Date.now() + PROGRESS_EVERY_MS;
    void (async () => report(progress))().catch(() => undefined);
  };
}
