import type { Log } from "#src/platform/log/log.ts";
import type { ShellDeps } from "./open-session.ts";
import { closeStaleSessions } from "./queries.ts";

/** Sessions that one run closes; the next run takes the rest. */
const BATCH = 100;

/** Close the sessions that nobody uses any more, those that are too old, and those whose chat is archived or gone. Safe to repeat. */
export async function sweepSessions(
  deps: ShellDeps & { log: Log; config: { SHELL_IDLE_MINUTES: number; SHELL_MAX_HOURS: number } },
): Promise<void> {
  const { SHELL_IDLE_MINUTES: idleMinutes, SHELL_MAX_HOURS: maxHours } = deps.config;
  const stale = await closeStaleSessions(deps.db, { idleMinutes, maxHours, limit: BATCH });
  await Promise.all(
    stale.map(async ({ id, projectId }) => {
      try {
        await deps.workspaces.runtime(projectId).closeShell(id);
      } catch (error) {
        // The row says that it is over; its program ends with the runtime at the latest.
        deps.log.warn("a shell session was not closed", {
          project_id: projectId,
          session_id: id,
          cause: error,
        });
      }
    }),
  );
}
