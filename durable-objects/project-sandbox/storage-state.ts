import { AppError } from "#src/lib/errors.ts";
import { newToken } from "#src/lib/random-token.ts";
import { NEW_STORAGE, type StorageRecord } from "#src/platform/runtime/storage-guard.ts";

interface SandboxRecord extends StorageRecord {
  /** The disk that the files are on: undefined before the first change, and while they are absent. */
  disk?: string;
  /** The absent files were lost with their disk, not moved away. */
  lost?: true;
}

export type KeyValues = Pick<SyncKvStorage, "get" | "put" | "delete" | "list">;

/** Prefixed, because the SDK stores its own values in the same storage. */
const RECORD = "workspace:storage";
const TODOS = "workspace:todos:";
const SECRET = "workspace:secret";
/** Longest list, in characters of JSON; a stored value may have 2 MB. */
const MAX_LIST = 900_000;

/** Data of a project that is stored beside its container. Every method is one synchronous step. */
export class StorageState {
  readonly #kv: KeyValues;

  constructor(kv: KeyValues) {
    this.#kv = kv;
  }

  get current(): SandboxRecord {
    return this.#kv.get<SandboxRecord>(RECORD) ?? NEW_STORAGE;
  }

  /** Stores the record and the disk that the files are on from now on; without a disk no files can be lost. */
  put(record: StorageRecord, disk: string | undefined): void {
    const { state, generation } = record;
    const stillLost = state === "absent" && this.current.lost === true;
    this.#write({
      state,
      generation,
      ...(disk !== undefined && { disk }),
      ...(stillLost && { lost: true }),
    });
  }

  /** The disk has ended, and the files with it. */
  lose(): void {
    this.#write({ state: "absent", generation: this.current.generation, lost: true });
  }

  #write(record: SandboxRecord): void {
    this.#kv.put<SandboxRecord>(RECORD, record);
  }

  /**
   * Returns the secret of the container's workspace server. It stays the same for the life of the project, because a
   * restarted object finds its container still running.
   */
  serverSecret(): string {
    const kept = this.#kv.get<string>(SECRET);
    if (kept !== undefined) return kept;
    const { token } = newToken();
    this.#kv.put(SECRET, token);
    return token;
  }

  readTodos(chatId: string): string | undefined {
    return this.#kv.get<string>(TODOS + chatId);
  }

  writeTodos(chatId: string, list: string): void {
    if (list.length > MAX_LIST) throw new AppError("too_large", "The to-do list is too long");
    this.#kv.put(TODOS + chatId, list);
  }

  removeTodos(): void {
    const keys = Array.from(this.#kv.list({ prefix: TODOS }), ([key]) => key);
    for (const key of keys) this.#kv.delete(key);
  }
}
