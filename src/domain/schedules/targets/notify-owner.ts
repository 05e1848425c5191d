import { sendStored, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import type { FindDeps } from "#src/domain/messaging/agent-messages/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { queueNotice, scheduleNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { waysToReach } from "./queries.ts";
import { resolveTarget, type Recipient } from "./resolve-target.ts";

export type NoticeDeps = FindDeps & OutboxDeps & MailDeps;

/** What the owner of a schedule is told. */
export interface Notice {
  /** The schedule's. */
  name: string;
  text: string;
  /** What it is about: the owner gets one notice of an occasion. */
  occasion: string;
}

/**
 * Tells the owner of a schedule in the owner's home chat, or by mail where there is none. Idempotent in the chat; of mails, the
 * queue drops a repetition within ten minutes.
 */
export async function notifyOwner(deps: NoticeDeps, recipient: Recipient, notice: Notice): Promise<void> {
  const { platforms, email } = await waysToReach(deps.db, recipient.userId);
  for (const platform of platforms) {
    const found = await resolveTarget(deps, recipient, { kind: "home", platform });
    if (!("place" in found)) continue;
    const { channel, place, identityId } = found.place;
    return await sendStored(deps, {
      channel,
      sessionKey: sessionKeyOf(platform, place),
      place,
      kind: "message",
      content: notice.text,
      occasion: notice.occasion,
      replyTo: undefined,
      replyTarget: undefined,
      buttons: [],
      taskId: null,
      person: { userId: recipient.userId, identityId },
    });
  }
  if (email === undefined || !deps.mailer.configured) return;
  await queueNotice({ ...deps, queue: queueOf(deps.queue, notice) }, email, scheduleNotice(notice));
}

/** Mails of the same occasion are one for the queue. */
function queueOf(queue: Queue, { occasion }: Notice): Queue {
  const deduplicationId = `notice-${occasion.replaceAll(":", "-")}`;
  return { ...queue, publish: (message) => queue.publish({ ...message, deduplicationId }) };
}
