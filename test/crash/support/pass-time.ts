import { startNeon } from "#stand-ins/neon/index.ts";

const OLDER = [
  "UPDATE jobs SET due_at = due_at - interval '1 minute', lease_until = lease_until - interval '1 minute'",
  "UPDATE channel_events SET created_at = created_at - interval '1 minute' WHERE handled_at IS NULL",
  "UPDATE schedules SET claimed_until = claimed_until - interval '1 minute'",
  ...["checkouts", "payouts", "stripe_events"].map(
    (table) => `UPDATE ${table} SET created_at = created_at - interval '1 hour'`,
  ),
];

/** Makes what is unfinished older, as if the service had not run for long: the sweeps of its next start take it. */
export async function passTime(dataDir: string): Promise<void> {
  const database = await startNeon({ dataDir });
  try {
    for (const statement of OLDER) await database.pool.query(statement);
  } finally {
    await database.close();
  }
}
