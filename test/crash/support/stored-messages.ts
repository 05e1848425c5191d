import { startNeon } from "#local/neon/index.ts";

/** A task, as the database of the dead service has it. */
export interface StoredTask {
  message: string;
  status: string;
  response: string | null;
}

/** What is left in the database of a service that does not run. */
export interface Remains {
  /** In the order in which they were begun. */
  tasks: StoredTask[];
  /** Messages of the outbox that were not delivered, and why. */
  undelivered: { content: string; status: string; error: string | null }[];
  openEvents: number;
}

/** Reads the database of a service that does not run. */
export async function readRemains(dataDir: string): Promise<Remains> {
  const database = await startNeon({ dataDir });
  try {
    const tasks = await database.pool.query<StoredTask>(
      "SELECT message, status, response FROM tasks ORDER BY created_at, id",
    );
    const undelivered = await database.pool.query<Remains["undelivered"][number]>(
      "SELECT content, status, error FROM channel_messages WHERE status <> 'delivered' ORDER BY id",
    );
    const events = await database.pool.query("SELECT 1 FROM channel_events WHERE handled_at IS NULL");
    return { tasks: tasks.rows, undelivered: undelivered.rows, openEvents: events.rows.length };
  } finally {
    await database.close();
  }
}

/** Makes everything unfinished a minute older, as if the service had not run for that long. */
export async function passMinute(dataDir: string): Promise<void> {
  const database = await startNeon({ dataDir });
  try {
    await database.pool.query(`
      UPDATE channel_messages SET created_at = created_at - interval '1 minute',
        next_attempt_at = next_attempt_at - interval '1 minute'
      WHERE status = 'pending'`);
    await database.pool.query(
      "UPDATE channel_events SET created_at = created_at - interval '1 minute' WHERE handled_at IS NULL",
    );
    await database.pool.query("UPDATE schedules SET claimed_until = claimed_until - interval '1 minute'");
    await database.pool.query(
      "UPDATE schedule_runs SET published_at = published_at - interval '1 minute' WHERE finished_at IS NULL",
    );
  } finally {
    await database.close();
  }
}
