import type { Database } from "#stand-ins/shared/sqlite.ts";

/** The calls that were made, without their queries, bodies and tokens: the last ones, and how many of each there were. */
export const JOURNAL_TABLES = `
  CREATE TABLE IF NOT EXISTS call (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, provider TEXT NOT NULL, method TEXT NOT NULL,
    path TEXT NOT NULL, status INTEGER NOT NULL, fault INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS call_count (call TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
`;

const KEPT = 2_000;

export interface JournalEntry {
  at: number;
  provider: string;
  method: string;
  /** Below the base of the wire. */
  path: string;
  /** The call, such as `vercel GET v13/deployments/{id}`. */
  call: string;
  status: number;
  /** Whether it met a fault. */
  fault: boolean;
}

export class Journal {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add({ at, provider, method, path, call, status, fault }: JournalEntry): void {
    this.#db.transaction(() => {
      this.#db.run(
        "INSERT INTO call (at, provider, method, path, status, fault) VALUES (?, ?, ?, ?, ?, ?)",
        at,
        provider,
        method,
        path,
        status,
        Number(fault),
      );
      this.#db.run(
        `INSERT INTO call_count VALUES (?, 1) ON CONFLICT (call) DO UPDATE SET count = count + 1`,
        call,
      );
      this.#db.run("DELETE FROM call WHERE seq <= (SELECT MAX(seq) FROM call) - ?", KEPT);
    });
  }

  /** The oldest first. */
  list(): { counts: Record<string, number>; calls: object[] } {
    const counts = this.#db.all("SELECT call, count FROM call_count ORDER BY call");
    return {
      counts: Object.fromEntries(counts.map(({ call, count }) => [String(call), Number(count)])),
      calls: this.#db
        .all("SELECT at, provider, method, path, status, fault FROM call ORDER BY seq")
        .map((call) => ({ ...call, fault: call["fault"] === 1 })),
    };
  }

  clear(): void {
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM call");
      this.#db.run("DELETE FROM call_count");
    });
  }
}
