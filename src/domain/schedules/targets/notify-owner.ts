import { sendStored, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import type { FindDeps } from "#src/domain/messaging/agent-messages/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { scheduleNotice, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
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

/** Tells the owner of a schedule in the owner's home chat, or by mail where there is none. Never throws. */
export async function notifyOwner(deps: NoticeDeps, recipient: Recipient, notice: Notice): Promise<void> {
  try {
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
    if (email === undefined) return;
    await sendNotice({ ...deps, queue: queueOf(deps.queue, notice) }, email, scheduleNotice(notice));
  } catch (cause) {
    deps.log.warn("the owner of a schedule could not be told", { user_id: recipient.userId, cause });
  }
}

/** Mails of the same occasion are one for the queue. */
function queueOf(queue: Queue, { occasion }: Notice): Queue {
  const deduplicationId = `notice-${occasion.replaceAll(":", "-")}`;
  return { ...queue, publish: (message) => queue.publish({ ...message, deduplicationId }) };
}
