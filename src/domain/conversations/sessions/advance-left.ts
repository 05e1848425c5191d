import {
  batchesOf,
  openSessions,
  receiveMessage,
  type SessionBatch,
} from "#src/domain/messaging/inbox/index.ts";
import type { Later } from "#src/work/execute.ts";
import { advanceSessions } from "./advance-sessions.ts";
import type { ConversationDeps } from "./advance-session.ts";

/** What came later has another net. */
const QUIET_SECONDS = 5;
/** Most sessions that one net has advanced; the sweep has the rest. */
const MOST = 2_000;

/**
 * Advances the sessions of a channel whose events the program that received them has not handled, as it may have died. Returns
 * when it should be tried again, if it should.
 */
export async function advanceLeft(
  deps: ConversationDeps,
  channel: Omit<SessionBatch, "sessions">,
): Promise<Later | undefined> {
  const sessions = await openSessions(deps.db, channel.channelId, {
    quietSeconds: QUIET_SECONDS,
    limit: MOST,
  });
  const [first, ...others] = batchesOf(sessions.map((session) => ({ ...channel, ...session })));
  if (!first) return undefined;
  const occasion = `left-${Math.floor(Date.now() / 1_000)}`;
  await deps.queue.publishBatch(others.map((batch) => receiveMessage(batch, occasion)));
  return advanceSessions(deps, first);
}
