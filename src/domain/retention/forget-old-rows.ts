import { forgetOldLinks } from "#src/domain/mailed-links/index.ts";
import { forgetExpiredOauthStates } from "#src/domain/oauth/index.ts";
import { forgetOldSessions } from "#src/domain/sessions/index.ts";
import { forgetOldLoginAttempts } from "#src/domain/two-factor/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import {
  deleteOldAdminActions,
  deleteOldAuditEntries,
  deleteOldPairings,
  deleteOldRefreshRecords,
} from "./queries.ts";

interface Deps {
  db: Db;
  log: Log;
  config: { AUDIT_LOG_RETENTION_DAYS: number };
}

/** Delete what is kept for a time only and whose time is over. Safe to repeat; one that fails does not stop the others. */
export async function forgetOldRows({ db, log, config }: Deps): Promise<void> {
  const days = config.AUDIT_LOG_RETENTION_DAYS;
  const jobs: Readonly<Record<string, () => PromiseLike<unknown>>> = {
    "audit log": () => deleteOldAuditEntries(db, days),
    "administrators' trail": () => deleteOldAdminActions(db, days),
    sessions: () => forgetOldSessions(db),
    "refresh tokens": () => deleteOldRefreshRecords(db),
    "login attempts": () => forgetOldLoginAttempts(db),
    "mailed links": () => forgetOldLinks(db),
    "pairing links": () => deleteOldPairings(db),
    "OAuth states": () => forgetExpiredOauthStates(db),
  };
  for (const [what, forget] of Object.entries(jobs)) {
    try {
      await forget();
    } catch (error) {
      log.error("old rows could not be deleted", { what, cause: error });
    }
  }
}
