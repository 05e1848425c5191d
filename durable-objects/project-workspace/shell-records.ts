import { AppError } from "#src/lib/errors.ts";
import type { ShellOutput } from "#src/platform/runtime/project-shells.ts";

/** Output of one session that stays readable; older output is deleted. */
const KEPT_BYTES = 10 * 1024 * 1024;
/** Most bytes of one row, within the database's limit of 2 MB per row. */
const ROW_BYTES = 512 * 1024;
const MAX_READ_BYTES = 1024 * 1024;
/** How long, and for how many ended sessions, output is kept. */
const KEPT_MS = 30 * 60 * 1000;
const KEPT_SESSIONS = 100;

/** Stored data of shell sessions: that they exist, how they ended, and their output. Throws `AppError`. */
export class ShellRecords {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #now: () => number;

  constructor({ storage, now }: { storage: DurableObjectStorage; now: () => number }) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#now = now;
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  /** Whether the session is over. Throws `not_found`. */
  isOver(id: string): boolean {
    return this.#existing(id).endedAt !== null;
  }

  add(id: string): void {
    this.#sql.exec("INSERT INTO shells (id) VALUES (?)", id);
  }

  append(id: string, bytes: Uint8Array): void {
    let end = this.#end(id);
    for (let at = 0; at < bytes.length; at += ROW_BYTES) {
      const row = bytes.subarray(at, at + ROW_BYTES);
      this.#sql.exec("INSERT INTO shell_output (shell_id, position, bytes) VALUES (?, ?, ?)", id, end, row);
      end += row.length;
    }
    const oldest = end - KEPT_BYTES - ROW_BYTES;
    if (oldest > 0)
      this.#sql.exec("DELETE FROM shell_output WHERE shell_id = ? AND position < ?", id, oldest);
  }

  read(id: string, position: number): ShellOutput {
    const { endedAt, exitCode } = this.#existing(id);
    const last = this.#end(id);
    const from = Math.min(Math.max(position, 0), last);
    const rows = this.#sql
      .exec<{ position: number; bytes: ArrayBuffer }>(
        `SELECT position, bytes FROM shell_output WHERE shell_id = ? AND position > ? AND position < ? ORDER BY position`,
        id,
        from - ROW_BYTES,
        from + MAX_READ_BYTES,
      )
      .toArray();
    const pieces = rows.map(
      (row) => new Uint8Array(row.bytes, Math.min(Math.max(from - row.position, 0), row.bytes.byteLength)),
    );
    const oldest = this.#sql
      .exec<{ position: number | null }>(
        "SELECT min(position) AS position FROM shell_output WHERE shell_id = ?",
        id,
      )
      .one().position;
    const start = Math.max(from, oldest ?? 0);
    const data = new Uint8Array(Buffer.concat(pieces).subarray(0, MAX_READ_BYTES));
    const end = start + data.length;
    return { data, start, end, ended: endedAt !== null && end === last, exitCode };
  }

  /** Marks the session as over. Idempotent. `exitCode` is null when it was ended from outside. */
  end(id: string, exitCode: number | null): void {
    this.#sql.exec(
      "UPDATE shells SET ended_at = ?, exit_code = ? WHERE id = ? AND ended_at IS NULL",
      this.#now(),
      exitCode,
      id,
    );
  }

  /**
   * Ends all sessions: they run in memory, so those of an earlier life of the object are over. Returns whether there
   * were any.
   */
  endAll(): boolean {
    return (
      this.#sql.exec("UPDATE shells SET ended_at = ? WHERE ended_at IS NULL", this.#now()).rowsWritten > 0
    );
  }

  remove(id: string): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec("DELETE FROM shell_output WHERE shell_id = ?", id);
      this.#sql.exec("DELETE FROM shells WHERE id = ?", id);
    });
  }

  /** Deletes sessions that have been over for a while. Returns whether some remain for later. */
  sweep(): boolean {
    const over = this.#sql
      .exec<{ id: string; endedAt: number }>(
        "SELECT id, ended_at AS endedAt FROM shells WHERE ended_at IS NOT NULL ORDER BY ended_at DESC",
      )
      .toArray();
    const due = over.filter(
      ({ endedAt }, index) => index >= KEPT_SESSIONS || endedAt <= this.#now() - KEPT_MS,
    );
    for (const { id } of due) this.remove(id);
    return over.length > due.length;
  }

  #find(id: string): { endedAt: number | null; exitCode: number | null } | undefined {
    return this.#sql
      .exec<{ endedAt: number | null; exitCode: number | null }>(
        "SELECT ended_at AS endedAt, exit_code AS exitCode FROM shells WHERE id = ?",
        id,
      )
      .toArray()[0];
  }

  #existing(id: string): { endedAt: number | null; exitCode: number | null } {
    const found = this.#find(id);
    if (!found) throw new AppError("not_found", "Shell session not found");
    return found;
  }

  #end(id: string): number {
    const last = this.#sql
      .exec<{ end: number }>(
        `SELECT position + length(bytes) AS end FROM shell_output WHERE shell_id = ? ORDER BY position DESC LIMIT 1`,
        id,
      )
      .toArray()[0];
    return last?.end ?? 0;
  }
}
