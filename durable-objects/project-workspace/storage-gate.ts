import { AppError } from "#src/lib/errors.ts";
import type { StorageState } from "#src/platform/runtime/project-storage.ts";
import { FileError } from "./file-error.ts";

/** Whether the files may be read and changed. Checked at every step: operations that began earlier are not exempt. */
export interface FileGate {
  /** Throws when they may not be read. */
  checkRead(path: string): void;
  checkChange(path: string): void;
}

/**
 * Whether the project's files are present, and under which generation they were last moved. Every method is one
 * synchronous step. Throws `FileError` to users of files, `AppError` to callers that move them.
 */
export class StorageGate implements FileGate {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  current(): StorageState {
    return this.#kv.get<StorageState>("storage") ?? { state: "present", generation: 0 };
  }

  get isDestroyed(): boolean {
    return this.#kv.get("destroyed") === true;
  }

  markDestroyed(): void {
    this.#kv.put("destroyed", true);
  }

  checkRead(path: string): void {
    if (this.current().state === "absent") throw new FileError("ENOMEDIUM", path);
  }

  checkChange(path: string): void {
    if (this.isDestroyed) throw new FileError("ESTALE", path);
    const { state } = this.current();
    if (state === "absent") throw new FileError("ENOMEDIUM", path);
    if (state === "frozen") throw new FileError("EROFS", path);
  }

  freeze(generation: number): void {
    this.#checkMove(generation);
    this.checkRead("");
    this.#put({ state: "frozen", generation });
  }

  thaw(generation: number): void {
    this.#checkMove(generation);
    this.checkRead("");
    this.#put({ state: "present", generation });
  }

  /** Whether there are files to discard under this generation; false when they are absent already. */
  mayDiscard(generation: number): boolean {
    this.#checkMove(generation);
    const { state, generation: frozenUnder } = this.current();
    if (state === "absent") return false;
    if (state === "frozen" && frozenUnder === generation) return true;
    throw new AppError("conflict", "The project's files are not frozen under this generation");
  }

  discarded(generation: number): void {
    this.#put({ state: "absent", generation });
  }

  /** Checks that other files may replace the present ones, or, under a generation, absent ones. */
  checkReplace(generation: number | undefined): void {
    if (generation !== undefined) this.#checkMove(generation);
    if (generation === undefined || this.current().state !== "absent") this.checkChange("");
  }

  replaced(generation: number | undefined): void {
    this.#put({ state: "present", generation: generation ?? this.current().generation });
  }

  /** Begins a clone in this term; throws `conflict` when there was one in a later term. Terms outlive the object. */
  beginClone(term: number): void {
    this.checkClone(term);
    this.#kv.put("clone_term", term);
  }

  checkClone(term: number): void {
    if (term < (this.#kv.get<number>("clone_term") ?? 0))
      throw new AppError("conflict", "Another clone of the project has begun");
  }

  #checkMove(generation: number): void {
    if (this.isDestroyed) throw new FileError("ESTALE", "");
    if (generation < this.current().generation) {
      throw new AppError("conflict", "The project's files have been moved under a newer generation");
    }
  }

  #put(state: StorageState): void {
    this.#kv.put("storage", state);
  }
}
