import type { Later } from "#src/work/execute.ts";
import { receiveMessage, type SessionBatch } from "#src/domain/messaging/inbox/index.ts";
import { advanceSession, type ConversationDeps } from "./advance-session.ts";

/** Sessions of a batch that are advanced at the same time. */
const AT_ONCE = 8;
/** Pause before a session that failed is tried again. */
const AGAIN_SECONDS = 10;

/**
 * Advances the sessions of a batch. One that fails, or should be tried again later, is published by itself, so that it
 * neither holds up nor repeats the others. A batch of one session is left to the queue: returns when it should be tried again.
 */
export async function advanceSessions(
  deps: ConversationDeps,
  batch: SessionBatch,
): Promise<Later | undefined> {
  const { channelId, sessions } = batch;
  const [only, ...others] = sessions;
  if (only && others.length === 0) return advanceSession(deps, { channelId, ...only });
  const again: { session: SessionBatch["sessions"][number]; delaySeconds: number }[] = [];
  const waiting = sessions.values();
  const advanceNext = async () => {
    for (const session of waiting) {
      try {
        const later = await advanceSession(deps, { channelId, ...session });
        if (later) again.push({ session, delaySeconds: later.retryAfterSeconds });
      } catch (cause) {
        deps.log.warn("a session could not be advanced", { channel_id: channelId, cause });
        again.push({ session, delaySeconds: AGAIN_SECONDS });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, advanceNext));
  const occasion = `again-${Math.floor(Date.now() / (AGAIN_SECONDS * 1000))}`;
  await deps.queue.publishBatch(
    again.map(({ session, delaySeconds }) => ({
      ...receiveMessage({ ...batch, sessions: [session] }, occasion),
      delaySeconds,
    })),
  );
  return undefined;
}
