import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { setDefaultTeam } from "./queries.ts";
import type { MemberCaller } from "./require-team.ts";

/** Makes a team the caller's default; returns its id and the console's theme. */
export async function switchTeam(
  deps: { db: Db },
  { userId, membership: { teamId } }: MemberCaller,
): Promise<{ defaultTeamId: string; themePreset: string | null }> {
  const switched = await setDefaultTeam(deps.db, { teamId, userId });
  if (!switched) throw new AppError("not_found", "Team not found");
  return { defaultTeamId: teamId, themePreset: switched.themePreset };
}
