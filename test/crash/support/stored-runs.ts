import { startNeon } from "#local/neon/index.ts";

/** A run of a schedule, as the database of the dead service has it. */
export interface StoredRun {
  /** The schedule's. */
  name: string;
  /** Milliseconds since the epoch. */
  slot: number;
  missed: number;
  status: string;
  /** Status of its task; null without one. */
  task: string | null;
  /** What the agent said. */
  response: string | null;
}

/** Reads the runs of all schedules, in the order of their moments, and counts the tasks. */
export async function readRuns(dataDir: string): Promise<{ runs: StoredRun[]; tasks: number }> {
  const database = await startNeon({ dataDir });
  try {
    const runs = await database.pool.query<StoredRun>(`
      SELECT s.name, (extract(epoch FROM r.scheduled_for) * 1000)::float8 AS slot, r.missed, r.status,
        t.status AS task, t.response
      FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id LEFT JOIN tasks t ON t.id = r.task_id
      ORDER BY r.scheduled_for, r.id`);
    const tasks = await database.pool.query("SELECT 1 FROM tasks");
    return { runs: runs.rows, tasks: tasks.rows.length };
  } finally {
    await database.close();
  }
}
