import { AppError } from "#src/lib/errors.ts";
import type {
  EntryWithContent,
  InventoryEntry,
  StorageState,
  StoredEntry,
} from "#src/platform/runtime/project-storage.ts";
import type { FileContents } from "./file-contents.ts";
import { FileError } from "./file-error.ts";
import { FileTree, type Entry } from "./file-tree.ts";
import { ProjectFiles } from "./project-files.ts";
import type { StorageGate } from "./storage-gate.ts";

const EMPTY: AsyncIterable<Uint8Array> = (async function* () {})();

/** Transfers of all of the project's files: read, replaced, removed. */
export class FileTransfer {
  readonly #storage: DurableObjectStorage;
  readonly #files: ProjectFiles;
  readonly #contents: FileContents;
  readonly #gate: StorageGate;
  readonly #now: () => number;
  /** The transfer that fills the staging tree; a newer transfer takes over the tree. */
  #staging: symbol | undefined;

  constructor(deps: {
    storage: DurableObjectStorage;
    files: ProjectFiles;
    contents: FileContents;
    gate: StorageGate;
    now: () => number;
  }) {
    this.#storage = deps.storage;
    this.#files = deps.files;
    this.#contents = deps.contents;
    this.#gate = deps.gate;
    this.#now = deps.now;
  }

  state(): StorageState {
    return this.#gate.current();
  }

  inventory(): InventoryEntry[] {
    return this.#files.tree
      .all()
      .map((entry) => ({ ...toStored(entry), fingerprint: entry.contentId ?? entry.target ?? "" }));
  }

  /** Yields the entries at these paths with their contents; an entry that is gone by then is left out. */
  async *read(paths: readonly string[]): AsyncGenerator<EntryWithContent, undefined> {
    for (const path of paths) {
      const entry = this.#files.tree.find(path, { follow: false });
      if (!entry || path === "") continue;
      const content = entry.contentId === null ? EMPTY : this.#contents.read(entry.contentId);
      yield { entry: toStored(entry), content };
    }
  }

  /** Replaces the project's files by these entries, once the last one has arrived. */
  async replace(entries: AsyncIterable<EntryWithContent>, generation: number | undefined): Promise<void> {
    await this.stage(generation, async ({ tree }) => {
      for await (const { entry, content } of entries) {
        const stored =
          entry.kind === "file"
            ? await this.#contents.storeExactly(entry.path, content, entry.size)
            : undefined;
        tree.addEntry(entry, stored);
      }
    });
  }

  /**
   * Fills an empty tree, then replaces all files by it in one step. A `fill` that throws, or a crash, changes nothing.
   */
  async stage<T>(generation: number | undefined, fill: (staged: ProjectFiles) => Promise<T>): Promise<T> {
    this.#gate.checkReplace(generation);
    this.#clearStaged();
    const mine = Symbol("staging");
    this.#staging = mine;
    const checkMine = () => {
      if (this.#gate.isDestroyed) throw new FileError("ESTALE", "");
      if (this.#staging !== mine) throw new AppError("conflict", "Another restore of the project has begun");
    };
    const gate = { checkRead: checkMine, checkChange: checkMine };
    const tree = new FileTree({ storage: this.#storage, now: this.#now, gate, table: "staged" });
    try {
      const filled = await fill(new ProjectFiles(tree, this.#contents));
      this.#storage.transactionSync(() => {
        checkMine();
        this.#gate.checkReplace(generation);
        const { sql } = this.#storage;
        sql.exec("DELETE FROM entries");
        sql.exec("INSERT INTO entries SELECT * FROM staged");
        this.#gate.replaced(generation);
      });
      return filled;
    } finally {
      if (this.#staging === mine) {
        this.#staging = undefined;
        this.#clearStaged();
      }
      await this.#contents.scheduleSweep();
    }
  }

  /** Removes all files, which must be frozen under this generation. */
  async discard(generation: number): Promise<void> {
    this.#storage.transactionSync(() => {
      if (!this.#gate.mayDiscard(generation)) return;
      this.#storage.sql.exec("DELETE FROM entries");
      this.#gate.discarded(generation);
    });
    await this.#contents.scheduleSweep();
  }

  /** Deletes what an interrupted transfer left in the staging tree. */
  async recover(): Promise<void> {
    if (this.#clearStaged() > 0) await this.#contents.scheduleSweep();
  }

  #clearStaged(): number {
    return this.#storage.sql.exec("DELETE FROM staged").rowsWritten;
  }
}

function toStored({ path, kind, size, mode, modifiedAt, target }: Entry): StoredEntry {
  return { path, kind, size, mode, modifiedAt, target: target ?? "" };
}
