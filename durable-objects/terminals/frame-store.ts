/** Most frames that are kept of one project. */
const KEPT_FRAMES = 1_000;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** A page of replay. */
const PAGE_FRAMES = 50;
/** Rows stay under SQLite's 2 MB limit in Durable Objects. */
const MAX_BYTES = 1_500_000;

export const FRAME_TABLES = `
  CREATE TABLE frame (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    nonce TEXT UNIQUE,
    body TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE INDEX frame_project ON frame (project, id);
  CREATE INDEX frame_at ON frame (at);`;

interface NewFrame {
  body: string;
  projectId: string | null;
  nonce: string | null;
}

/** The frames of a user's clients in SQLite. Times are milliseconds since the epoch. */
export class FrameStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Id of the last frame, 0 if there is none. */
  get lastId(): number {
    return this.#sql.exec<{ last: number }>("SELECT coalesce(max(id), 0) AS last FROM frame").one().last;
  }

  /**
   * Stores a frame and returns its id, of an earlier frame with the same nonce the earlier id. Ids are times, so that they
   * increase also after all frames were deleted. Throws `RangeError` for a frame that is too large to be stored.
   */
  add({ body, projectId, nonce }: NewFrame, now: number): number {
    if (new TextEncoder().encode(body).byteLength > MAX_BYTES) throw new RangeError("The frame is too large");
    const [known] =
      nonce === null
        ? []
        : this.#sql.exec<{ id: number }>("SELECT id FROM frame WHERE nonce = ?", nonce).toArray();
    if (known) return known.id;
    const id = Math.max(now, this.lastId + 1);
    const project = projectId ?? "";
    this.#sql.exec("INSERT INTO frame VALUES (?, ?, ?, ?, ?)", id, project, nonce, body, now);
    this.#sql.exec(
      `DELETE FROM frame WHERE project = ?1 AND id <=
        (SELECT id FROM frame WHERE project = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_FRAMES})`,
      project,
    );
    return id;
  }

  /** The next page of a project's frames after an id, oldest first; empty when there are none. */
  pageAfter(id: number, projectId: string | null): { id: number; body: string }[] {
    return this.#sql
      .exec<{ id: number; body: string }>(
        `SELECT id, body FROM frame WHERE project = ? AND id > ? ORDER BY id LIMIT ${PAGE_FRAMES}`,
        projectId ?? "",
        id,
      )
      .toArray();
  }

  /** Deletes frames that are too old. Returns when the next one will be, undefined when none is left. */
  forget(now: number): number | undefined {
    this.#sql.exec("DELETE FROM frame WHERE at <= ?", now - KEPT_MS);
    const { oldest } = this.#sql.exec<{ oldest: number | null }>("SELECT min(at) AS oldest FROM frame").one();
    return oldest === null ? undefined : oldest + KEPT_MS;
  }
}
