import {
  checkChange,
  checkRead,
  checkReplace,
  discarded,
  frozen,
  replaced,
  thawed,
} from "#src/platform/runtime/storage-guard.ts";
import { readStorageRecord, writeStorageRecord, type HostRecord } from "./storage-record.ts";

/**
 * Whether a project's files are present, and under which generation they were last moved. Each decision is on disk when
 * it resolves; callers take turns.
 */
export class StorageGate {
  readonly #dir: string;
  #record: HostRecord;

  constructor(dir: string) {
    this.#dir = dir;
    this.#record = readStorageRecord(dir);
  }

  get current(): HostRecord {
    return this.#record;
  }

  get isDestroyed(): boolean {
    return this.#record.state === "destroyed";
  }

  checkRead(): void {
    checkRead(this.#record);
  }

  checkChange(): void {
    checkChange(this.#record);
  }

  checkReplace(generation: number | undefined): void {
    checkReplace(this.#record, generation);
  }

  async freeze(generation: number): Promise<void> {
    await this.#put(frozen(this.#record, generation));
  }

  async thaw(generation: number): Promise<void> {
    await this.#put(thawed(this.#record, generation));
  }

  async discard(generation: number): Promise<void> {
    await this.#put(discarded(this.#record, generation));
  }

  /** Records that other files were put in place; the generation must still be the newest. */
  async replaced(generation: number | undefined): Promise<void> {
    await this.#put(replaced(this.#record, generation));
  }

  /** Records that the files are missing although the service did not move them away. */
  async lose(): Promise<void> {
    await this.#put({ state: "absent", generation: this.#record.generation, lost: true });
  }

  async destroy(): Promise<void> {
    await this.#put({ ...this.#record, state: "destroyed" });
  }

  async #put(record: HostRecord): Promise<void> {
    // Set at once for concurrent callers; if the disk fails, the earlier record is restored.
    const before = this.#record;
    if (record.state === before.state && record.generation === before.generation) return;
    this.#record = record;
    try {
      await writeStorageRecord(this.#dir, record);
    } catch (error) {
      this.#record = before;
      throw error;
    }
  }
}
