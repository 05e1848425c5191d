import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { endSessionRow, endSessionsExcept, liveSessions } from "./queries.ts";
import type { Client } from "./start-session.ts";

export type ListedSession = Awaited<ReturnType<typeof liveSessions>>[number] & { isCurrent: boolean };

/** The caller's live sessions, the most recently used first. */
export async function listSessions(deps: { db: Db }, caller: UserCaller): Promise<ListedSession[]> {
  const rows = await liveSessions(deps.db, caller.userId);
  return rows.map((row) => ({ ...row, isCurrent: row.id === caller.sessionId }));
}

/** Ends one of the caller's sessions, which may be the current one. Throws `not_found`. */
export async function endSession(
  deps: { db: Db },
  caller: UserCaller,
  sessionId: string,
  client: Client,
): Promise<void> {
  const [ended] = isId(sessionId) ? await endSessionRow(deps.db, caller.userId, sessionId) : [];
  if (!ended) throw new AppError("not_found", "Session not found");
  await insertAuditEntry(deps.db, {
    userId: caller.userId,
    action: "session.ended",
    resourceType: "session",
    resourceId: sessionId,
    client,
  });
}

/** Ends all of the caller's sessions but the current one; returns how many. */
export async function endOtherSessions(
  deps: { db: Db },
  caller: UserCaller,
  client: Client,
): Promise<number> {
  const ended = await endSessionsExcept(deps.db, caller);
  await insertAuditEntry(deps.db, {
    userId: caller.userId,
    action: "session.others_ended",
    resourceType: "session",
    details: { ended: ended.length },
    client,
  });
  return ended.length;
}
