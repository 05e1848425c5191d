import { AppError } from "#src/lib/errors.ts";

/**
 * The rules of `ProjectStorage` for a sandbox's holder: which requests are allowed, and the next state. A record says
 * where a project's files are and which generation moved them last; `destroyed` is final.
 */
export interface StorageRecord {
  state: "present" | "frozen" | "absent" | "destroyed";
  generation: number;
}

/** A project that was not used yet is present and empty. */
export const NEW_STORAGE: StorageRecord = { state: "present", generation: 0 };

/** Throws `not_found` for a project that is gone, and `asleep` while the files are absent. */
export function checkRead({ state }: StorageRecord): void {
  if (state === "destroyed") throw new AppError("not_found", "The project is gone");
  if (state === "absent") throw new AppError("asleep", "The project is hibernated");
}

/** Same as `checkRead`, and `unavailable` while the files are being moved away. */
export function checkChange(record: StorageRecord): void {
  checkRead(record);
  if (record.state === "frozen") {
    throw new AppError("unavailable", "The project is being stopped; try again in a moment");
  }
}

/** Checks that other files may replace the present ones, or, under a generation, absent ones. */
export function checkReplace(record: StorageRecord, generation: number | undefined): void {
  if (generation !== undefined) checkMove(record, generation);
  if (generation === undefined || record.state !== "absent") checkChange(record);
}

/** Returns the record for frozen files. Throws as the others do, and `conflict` for an older generation. */
export function frozen(record: StorageRecord, generation: number): StorageRecord {
  checkMove(record, generation);
  checkRead(record);
  return { state: "frozen", generation };
}

export function thawed(record: StorageRecord, generation: number): StorageRecord {
  checkMove(record, generation);
  checkRead(record);
  return { state: "present", generation };
}

/** Returns the same record when the files are absent already. */
export function discarded(record: StorageRecord, generation: number): StorageRecord {
  checkMove(record, generation);
  if (record.state === "absent") return record;
  if (record.state !== "frozen" || record.generation !== generation) {
    throw new AppError("conflict", "The project's files are not frozen under this generation");
  }
  return { state: "absent", generation };
}

/** Returns the record after other files were put in place; the generation must still be the newest. */
export function replaced(record: StorageRecord, generation: number | undefined): StorageRecord {
  checkReplace(record, generation);
  return { state: "present", generation: generation ?? record.generation };
}

function checkMove(record: StorageRecord, generation: number): void {
  if (record.state === "destroyed") throw new AppError("not_found", "The project is gone");
  if (generation < record.generation) {
    throw new AppError("conflict", "The project's files have been moved under a newer generation");
  }
}
