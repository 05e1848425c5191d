import type { ProcessState } from "#src/platform/runtime/project-processes.ts";

/** 128 + 15, as for a program that SIGTERM ended. */
const EXIT_STOPPED = 143;

/** Programs as they were requested. They do not run here; a record lets containers be started and stopped. */
export class ProcessRecords {
  readonly #sql: SqlStorage;
  readonly #now: () => number;

  constructor({ sql, now }: { sql: SqlStorage; now: () => number }) {
    this.#sql = sql;
    this.#now = now;
  }

  start(name: string, command: string): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO processes (name, command, started_at, running) VALUES (?, ?, ?, 1)",
      name,
      command,
      this.#now(),
    );
  }

  stop(name: string): void {
    this.#sql.exec("UPDATE processes SET running = 0 WHERE name = ?", name);
  }

  stopAll(): void {
    this.#sql.exec("UPDATE processes SET running = 0 WHERE running = 1");
  }

  list(): ProcessState[] {
    return this.#sql
      .exec<{ name: string; startedAt: number; running: number }>(
        "SELECT name, started_at AS startedAt, running FROM processes ORDER BY name",
      )
      .toArray()
      .map(({ name, startedAt, running }) => ({
        name,
        running: running === 1,
        exitCode: running === 1 ? null : EXIT_STOPPED,
        startedAt,
      }));
  }

  log(name: string): string[] {
    return this.#sql
      .exec<{ command: string }>("SELECT command FROM processes WHERE name = ?", name)
      .toArray()
      .map(({ command }) => `This runtime shows files; \`${command}\` is not run`);
  }
}
