/** Its versions, oldest first; a step is only ever appended. */
export const TURN_SCHEMA = [
  `CREATE TABLE turn (position INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE)`,
  `ALTER TABLE turn ADD COLUMN has_turn INTEGER NOT NULL DEFAULT 0;
   UPDATE turn SET has_turn = 1 WHERE position = (SELECT min(position) FROM turn);`,
];

/**
 * The tasks of a chat. One has the turn; the others wait for it in the order in which they were made, which is that of their ids
 * and of the chat's messages: of requests that come at the same moment, any may be the first to get here.
 */
export class TurnQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Idempotent: a task keeps its place. */
  enqueue(taskId: string): "running" | "queued" {
    this.#sql.exec("INSERT INTO turn (task_id) VALUES (?) ON CONFLICT DO NOTHING", taskId);
    this.#passOn();
    return this.holder === taskId ? "running" : "queued";
  }

  /** Take a task out, whether it had the turn or waited for it. */
  remove(taskId: string): void {
    this.#sql.exec("DELETE FROM turn WHERE task_id = ?", taskId);
    this.#passOn();
  }

  /** The task that has the turn. */
  get holder(): string | undefined {
    return this.#sql.exec<{ task_id: string }>("SELECT task_id FROM turn WHERE has_turn = 1").toArray()[0]
      ?.task_id;
  }

  /** A turn that nobody has goes to who waits longest. */
  #passOn(): void {
    this.#sql.exec(
      `UPDATE turn SET has_turn = 1 WHERE task_id = (SELECT min(task_id) FROM turn)
         AND NOT EXISTS (SELECT 1 FROM turn WHERE has_turn = 1)`,
    );
  }
}
