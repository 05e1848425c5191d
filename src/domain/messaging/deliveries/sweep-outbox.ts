import { deliverAbandoned, type AnnounceDeps } from "./announce-message.ts";
import { messageTo } from "#src/work/message.ts";
import { messageDue } from "./message-due.ts";
import { failStale, strandedMessages } from "./queries/attempts.ts";

/** Longer than it takes to send a message when nothing fails. */
const QUIET_SECONDS = 20;
/** Most messages in one sweep; the next sweep takes the rest. */
const BATCH = 200;
/** A reply that is older than a day surprises its reader. */
const FRESH_HOURS = 24;

/** Sends messages whose sender died, or whose queue message was given up. */
export async function sweepOutbox(deps: AnnounceDeps): Promise<void> {
  await failStale(deps.db, FRESH_HOURS);
  const stranded = await strandedMessages(deps.db, { quietSeconds: QUIET_SECONDS, limit: BATCH });
  const minute = Math.floor(Date.now() / 60_000);
  await deps.queue.publishBatch(
    stranded.map((messageId) =>
      messageTo(messageDue, { messageId }, { deduplicationId: `deliver-${messageId}-swept-${minute}` }),
    ),
  );
  await deliverAbandoned(deps).catch((cause: unknown) =>
    deps.log.warn("the stream of replies does not respond", { cause }),
  );
}
