import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { grantsOf } from "./queries.ts";

export type ConnectedApp = Awaited<ReturnType<typeof grantsOf>>[number];

/** The caller's connected apps, the newest first. */
export async function listConnectedApps(deps: { db: Db }, { userId }: UserCaller): Promise<ConnectedApp[]> {
  return grantsOf(deps.db, userId);
}
