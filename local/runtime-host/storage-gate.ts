import {
  checkChange,
  checkRead,
  checkReplace,
  discarded,
  frozen,
  replaced,
  thawed,
  type StorageRecord,
} from "#src/platform/runtime/storage-guard.ts";
import { readStorageRecord, writeStorageRecord } from "./storage-record.ts";

/**
 * Whether a project's files are here, and under which generation they were last moved. What it decides is on the disk when
 * it resolves; callers take turns.
 */
export class StorageGate {
  readonly #dir: string;
  #record: StorageRecord;

  constructor(dir: string) {
    this.#dir = dir;
    this.#record = readStorageRecord(dir);
  }

  get current(): StorageRecord {
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

  /** Files have been put in place; under a generation that is the newest still. */
  async replaced(generation: number | undefined): Promise<void> {
    await this.#put(replaced(this.#record, generation));
  }

  async destroy(): Promise<void> {
    await this.#put({ ...this.#record, state: "destroyed" });
  }

  async #put(record: StorageRecord): Promise<void> {
    // At once for whoever asks meanwhile, so that nothing slips through; on a disk that fails, the earlier one is back.
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
