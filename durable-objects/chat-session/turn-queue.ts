export const TURN_SCHEMA = [
  `CREATE TABLE turn (position INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE)`,
];

/** The tasks of a chat in the order they were asked for. The first one has the turn; the others wait. */
export class TurnQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Idempotent: a task keeps its place. */
  enqueue(taskId: string): "running" | "queued" {
    this.#sql.exec("INSERT INTO turn (task_id) VALUES (?) ON CONFLICT DO NOTHING", taskId);
    return this.holder === taskId ? "running" : "queued";
  }

  /** Take a task out, whether it had the turn or waited for it. */
  remove(taskId: string): void {
    this.#sql.exec("DELETE FROM turn WHERE task_id = ?", taskId);
  }

  /** The task that has the turn. */
  get holder(): string | undefined {
    return this.#sql
      .exec<{ task_id: string }>("SELECT task_id FROM turn ORDER BY position LIMIT 1")
      .toArray()[0]?.task_id;
  }
}
