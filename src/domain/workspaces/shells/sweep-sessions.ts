import type { Log } from "#src/platform/log/log.ts";
import type { ShellDeps } from "./open-session.ts";
import { closeStaleSessions } from "./queries.ts";

/** Most sessions that one run closes; the next run takes the rest. */
const BATCH = 100;

/** Closes sessions that are idle, too old, or whose chat is archived or deleted. Idempotent. */
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
        // The row is already closed; the program ends with the runtime at the latest.
        deps.log.warn("a shell session was not closed", {
          project_id: projectId,
          session_id: id,
          cause: error,
        });
      }
    }),
  );
}
