import type { RunDelivery } from "#src/db/schema/index.ts";
import { continueInChat } from "#src/domain/messaging/agent-messages/index.ts";
import {
  findFiles,
  linkedFiles,
  sendStored,
  type OutboxMessage,
} from "#src/domain/messaging/deliveries/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import {
  parseTargets,
  resolveTarget,
  targetName,
  type Resolved,
} from "#src/domain/schedules/targets/index.ts";
import { occasionOf } from "./queries/history.ts";
import type { OpenRun } from "./queries/open-run.ts";
import { recipientOf } from "./recipient-of.ts";
import type { RunDeps } from "./run-deps.ts";

/** What a run has to say, and the chat that it was said in. */
interface Result {
  text: string;
  chatId: string;
}

interface Found {
  target: string;
  resolved: Resolved;
}

/** Puts the result of a run into the outbox, once for each place that the targets come to. Idempotent. */
export async function deliverResult(deps: RunDeps, found: OpenRun, result: Result): Promise<RunDelivery[]> {
  const recipient = recipientOf(found);
  const targets = await Promise.all(
    parseTargets(found.schedule.deliver).map(async (target) => ({
      target: targetName(target),
      resolved: await resolveTarget(deps, recipient, target),
    })),
  );
  return Promise.all(withoutRepetitions(targets).map((target) => deliver(deps, found, target, result)));
}

/** Leaves out a target that comes to the same place as one before it. */
function withoutRepetitions(targets: readonly Found[]): Found[] {
  const seen = new Set<string>();
  return targets.filter(({ resolved }) => {
    if (!("place" in resolved)) return true;
    const { channel, place } = resolved.place;
    const key = JSON.stringify([channel.id, place.chatId, place.threadId]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

async function deliver(
  deps: RunDeps,
  { run, schedule }: OpenRun,
  { target, resolved }: Found,
  { text, chatId }: Result,
): Promise<RunDelivery> {
  if ("inApp" in resolved) return { target, status: "in_app" };
  if ("error" in resolved) return { target, status: "failed", error: resolved.error };
  const { channel, place, identityId } = resolved.place;
  const { userId, apiKeyId, projectId } = schedule;
  const linked = projectId === null ? [] : await linkedFiles(text);
  const files =
    projectId === null || linked.length === 0
      ? []
      : await findFiles(deps, { userId, apiKeyId, projectId }, linked);
  const message: OutboxMessage = {
    channel,
    sessionKey: sessionKeyOf(channel.channelType, place),
    place,
    kind: "message",
    content: text,
    occasion: occasionOf(run.id, target),
    replyTo: undefined,
    replyTarget: undefined,
    buttons: [],
    taskId: run.taskId,
    person: { userId, identityId },
    target,
    scheduleId: schedule.id,
  };
  await sendStored(deps, message, files);
  await continueInChat(deps.db, { channel, place, userId, chatId });
  return { target, status: "stored" };
}
