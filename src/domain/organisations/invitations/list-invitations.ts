import type { Db } from "#src/platform/db/client.ts";
import { openInvitations } from "./queries.ts";

type ListedInvitation = Awaited<ReturnType<typeof openInvitations>>[number];

/** Invitations of a team that can still be accepted, newest first. */
export function listInvitations(deps: { db: Db }, teamId: string): Promise<ListedInvitation[]> {
  return openInvitations(deps.db, teamId);
}
