import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { deleteOlder } from "./queries.ts";

interface Deps {
  db: Db;
  log: Log;
  config: { AUDIT_LOG_RETENTION_DAYS: number };
}

/** What is over when it expires, and for how many days it is kept after that. */
const EXPIRING: Readonly<Record<string, number>> = {
  // Refresh records also go with their session; those of one that goes on are left to themselves.
  sessions: 30,
  refresh_records: 30,
  login_attempts: 1,
  mailed_tokens: 1,
  pairing_tokens: 1,
  // A day more than anybody takes them, since the clocks of service and database may differ.
  used_oauth_states: 1,
};

/** Delete what is kept for a time only and whose time is over. Safe to repeat; one that fails does not stop the others. */
export async function forgetOldRows({ db, log, config }: Deps): Promise<void> {
  const rules = [
    ...["audit_log", "admin_actions"].map((table) => ({
      table,
      column: "created_at" as const,
      days: config.AUDIT_LOG_RETENTION_DAYS,
    })),
    { table: "command_runs", column: "created_at" as const, days: 30 },
    { table: "background_tasks", column: "completed_at" as const, days: 1 },
    ...Object.entries(EXPIRING).map(([table, days]) => ({ table, column: "expires_at" as const, days })),
  ];
  for (const { table, column, days } of rules) {
    try {
      await deleteOlder(db, table, column, days);
    } catch (error) {
      log.error("old rows could not be deleted", { table, cause: error });
    }
  }
}
