import { AppError } from "#src/lib/errors.ts";

/**
 * The rule of `ProjectStorage` for whoever holds a sandbox: which requests may pass, and what follows on what. A record
 * says where a project's files are and who moved them last; `destroyed` is for good.
 */
export interface StorageRecord {
  state: "present" | "frozen" | "absent" | "destroyed";
  generation: number;
}

/** A project nobody has used yet is there and empty. */
export const NEW_STORAGE: StorageRecord = { state: "present", generation: 0 };

/** Throws `not_found` for a project that is gone, and `asleep` while the files are away. */
export function checkRead({ state }: StorageRecord): void {
  if (state === "destroyed") throw new AppError("not_found", "The project is gone");
  if (state === "absent") throw new AppError("asleep", "The project is hibernated");
}

/** As `checkRead`, and `unavailable` while the files are being moved away. */
export function checkChange(record: StorageRecord): void {
  checkRead(record);
  if (record.state === "frozen") {
    throw new AppError("unavailable", "The project is being stopped; try again in a moment");
  }
}

/** Files may take the place of those that are here, or, by who names a generation, of those that are not. */
export function checkReplace(record: StorageRecord, generation: number | undefined): void {
  if (generation !== undefined) checkMove(record, generation);
  if (generation === undefined || record.state !== "absent") checkChange(record);
}

/** What the record becomes when the files are frozen. Throws as the others do, and `conflict` for an older generation. */
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

/** The very same record where there is nothing to discard any more. */
export function discarded(record: StorageRecord, generation: number): StorageRecord {
  checkMove(record, generation);
  if (record.state === "absent") return record;
  if (record.state !== "frozen" || record.generation !== generation) {
    throw new AppError("conflict", "The project's files are not frozen under this generation");
  }
  return { state: "absent", generation };
}

/** Files have been put in place; under a generation that is the newest still. */
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
