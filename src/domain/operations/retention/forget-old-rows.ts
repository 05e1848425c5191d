import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { deleteEndedApps, deleteOlder } from "./queries.ts";

interface Deps {
  db: Db;
  log: Log;
  config: { AUDIT_LOG_RETENTION_DAYS: number };
}

/** Tables of expiring rows, and the days for which rows are kept after they expire. */
const EXPIRING: Readonly<Record<string, number>> = {
  // Refresh records are also deleted with their session; those of live sessions are deleted on their own.
  sessions: 30,
  refresh_records: 30,
  login_attempts: 1,
  mailed_tokens: 1,
  pairing_tokens: 1,
  device_sign_ins: 1,
  oauth_requests: 1,
  // Used ones stay until they would have expired, so that a second use is noticed.
  oauth_tokens: 1,
  // A day more than states are accepted, because the clocks of service and database may differ.
  used_oauth_states: 1,
};

/** Deletes rows whose retention has ended. Idempotent; a failure does not stop the rest. */
export async function forgetOldRows({ db, log, config }: Deps): Promise<void> {
  const rules = [
    ...["audit_log", "admin_actions"].map((table) => ({
      table,
      column: "created_at" as const,
      days: config.AUDIT_LOG_RETENTION_DAYS,
    })),
    { table: "command_runs", column: "created_at" as const, days: 30 },
    { table: "stripe_events", column: "created_at" as const, days: 90 },
    // Given up; what is still to be done has no such moment.
    { table: "jobs", column: "failed_at" as const, days: 30 },
    { table: "background_tasks", column: "completed_at" as const, days: 1 },
    ...Object.entries(EXPIRING).map(([table, days]) => ({ table, column: "expires_at" as const, days })),
  ];
  const deletions = [
    ...rules.map(({ table, column, days }) => ({ table, run: () => deleteOlder(db, table, column, days) })),
    { table: "oauth_grants", run: () => deleteEndedApps(db) },
  ];
  for (const { table, run } of deletions) {
    try {
      await run();
    } catch (error) {
      log.error("old rows could not be deleted", { table, cause: error });
    }
  }
}
