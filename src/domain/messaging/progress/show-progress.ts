import { z } from "zod";
import type { ChannelAdapter, ChannelApi, Place, Platform, RenderedText } from "#src/channels/channel.ts";
import { plainText } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
import {
  channelApi,
  noteFailure,
  retryPause,
  type ApiDeps,
  type Channel,
} from "#src/domain/messaging/channels/index.ts";
import { newId } from "#src/lib/ids.ts";
import { heardIn, type LoggedEvent } from "#src/lib/server-sent-events.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";
import { progressLines } from "./progress-lines.ts";
import { workOf } from "./queries.ts";

export interface ProgressDeps extends ApiDeps {
  db: Db;
  taskLogs: TaskLogs;
  queue: Queue;
  log: Log;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "render">>>;
}

/** What one look at a task leaves for the next. */
export const ProgressSoFar = z.object({
  taskId: z.uuid(),
  // With defaults for the first look at a task, which says no more than which task it is.
  /** Id of the last event that was read. */
  after: z.int().default(0),
  /** The platform's id of the message that shows the progress. */
  messageId: z.string().nullable().default(null),
  /** Identifies these looks: after an approval a task has others, with a line of their own. Empty for the first ones. */
  run: z.string().default(""),
  /** Whether the platform may have taken a line without telling its id. */
  isLineLost: z.boolean().default(false),
  /** Failed attempts to remove the line. */
  removals: z.int().default(0),
  lines: z.array(z.string()).default([]),
  /** Looks so far. */
  looks: z.int().default(0),
});
export type ProgressSoFar = z.output<typeof ProgressSoFar>;

/** A platform's task is to be looked at, to show its person what the agent does. */
export const lookDue = declareFunction({ name: "show-progress", message: ProgressSoFar });

/** A task that ends so soon after an approval shows nothing but its reply. */
const FIRST_LOOK_SECONDS = 3;
/** Platforms show for five seconds that the bot writes. */
const PAUSE_SECONDS = 5;
/** After this many looks, ten minutes, less often. */
const OFTEN = 120;
const LONG_PAUSE_SECONDS = 20;
/** Of a long log only the end is read. */
const READ_EVENTS = 200;

/** Has the progress of a task that goes on after an approval shown, from a few seconds after now until its end. */
export async function resumeProgress({ queue }: { queue: Queue }, taskId: string): Promise<void> {
  await publish(queue, ProgressSoFar.parse({ taskId, run: newId() }), FIRST_LOOK_SECONDS);
}

/** A task at its platform. */
interface Work {
  api: ChannelApi;
  channel: Channel;
  place: Place;
  inReplyTo: string | undefined;
}

/**
 * Looks at a task once: shows that the agent writes, and its newest calls in one message that is edited in place. Removes
 * that message at the end, in several attempts if need be. A task that waits for an approval shows nothing; its progress
 * begins anew with the answer. Other failures at the platform are only logged: this is a courtesy.
 */
export async function showProgress(deps: ProgressDeps, before: ProgressSoFar): Promise<void> {
  const found = await workOf(deps.db, before.taskId);
  if (!found?.isLive) return;
  const { channel, place, status, isAsking, isAllowed, messageId: inReplyTo } = found;
  const api = await channelApi(deps, channel).catch(() => undefined);
  if (!api) return;
  const work = { api, channel, place, inReplyTo: inReplyTo ?? undefined };
  // A line whose removal has failed is never taken up again: a task that goes on has another one.
  const isOver = isTerminal(status) || isAsking || !isAllowed || before.removals > 0;
  if (isOver) return endLine(deps, work, before);
  let soFar: ProgressSoFar;
  try {
    soFar = await show(deps, work, before);
  } catch (cause) {
    deps.log.warn("the progress of a task could not be shown", { task_id: before.taskId, cause });
    const isLost = before.messageId === null && cause instanceof PlatformFailure && cause.mayHaveHappened;
    soFar = { ...before, isLineLost: before.isLineLost || isLost, looks: before.looks + 1 };
  }
  try {
    await publish(deps.queue, soFar);
  } catch (cause) {
    // The queue delivers this look again, which knows nothing of a line that was sent just now.
    if (before.messageId === null) await removeLine(deps, work, soFar).catch(() => {});
    throw cause;
  }
}

async function show(deps: ProgressDeps, work: Work, before: ProgressSoFar): Promise<ProgressSoFar> {
  const { api, place, inReplyTo } = work;
  const { events, last } = await newEvents(deps, before);
  const lines = progressLines(before.lines, events);
  const soFar = { ...before, after: last, lines, looks: before.looks + 1 };
  await api.showTyping?.(place, inReplyTo).catch((cause: unknown) => {
    deps.log.warn("a platform does not show that the agent writes", { cause });
  });
  if (lines.join("\n") === before.lines.join("\n")) return soFar;
  await api.showWork?.(place, lines);
  if (!api.edit || !api.remove) return soFar;
  const { messageId } = before;
  if (messageId !== null) {
    const text = await lineOf(deps, work, lines);
    if (text) await api.edit({ place, messageId, text });
    return soFar;
  }
  // A second line would leave the first one for ever.
  if (before.isLineLost && api.sendsOnce !== true) return soFar;
  return { ...soFar, messageId: await sendLine(deps, work, soFar), isLineLost: false };
}

/** Returns the platform's id of the line. Where the platform sends once, that is also the id of a line that was lost. */
async function sendLine(
  deps: ProgressDeps,
  work: Work,
  { taskId, run, lines }: ProgressSoFar,
): Promise<string | null> {
  const text = await lineOf(deps, work, lines);
  if (!text) return null;
  const nonce = `progress:${run === "" ? taskId : run}`;
  const sent = await work.api.send({ ...plainText(work.place, text, nonce), isSilent: true });
  return sent.messageId ?? null;
}

async function lineOf(
  { channels }: ProgressDeps,
  { channel }: Work,
  lines: readonly string[],
): Promise<RenderedText | undefined> {
  const [text] = await channels[channel.channelType].render(asMarkdown(lines.length > 0 ? lines : ["…"]));
  return text;
}

function asMarkdown(lines: readonly string[]): string {
  return lines.map((line) => `\`${line.replaceAll("`", "'")}\``).join("\n\n");
}

/** Events since the last look. */
async function newEvents(
  { taskLogs }: ProgressDeps,
  { taskId, after }: ProgressSoFar,
): Promise<{ events: LoggedEvent[]; last: number }> {
  const { id: last } = await taskLogs.lastEvent(taskId);
  if (last <= after) return { events: [], last: after };
  const { body } = await taskLogs.stream(taskId, Math.max(after, last - READ_EVENTS), { open: false });
  const events: LoggedEvent[] = [];
  if (!body) return { events, last };
  for await (const heard of heardIn(body)) {
    if (heard.kind === "events") events.push(...heard.events);
    // Leaving the loop ends the subscription to what follows.
    if (heard.kind === "heartbeat" || (events.at(-1)?.id ?? 0) >= last) break;
  }
  return { events, last };
}

/** Removes the line, or has the next attempt published. A line that stays is told to the owner of the channel. */
async function endLine(deps: ProgressDeps, work: Work, before: ProgressSoFar): Promise<void> {
  try {
    return await removeLine(deps, work, before);
  } catch (cause) {
    if (!(cause instanceof PlatformFailure)) throw cause;
    const pause = retryPause(cause, before.removals);
    if (pause !== undefined) return publish(deps.queue, { ...before, removals: before.removals + 1 }, pause);
    const { taskId } = before;
    deps.log.warn("a line of progress stays", { task_id: taskId, channel_id: work.channel.id, cause });
    await noteFailure(
      deps.db,
      work.channel.id,
      `A line about the agent's work could not be removed: ${cause.message}`,
    );
  }
}

async function removeLine(deps: ProgressDeps, work: Work, before: ProgressSoFar): Promise<void> {
  const { api, place } = work;
  const isFound = before.isLineLost && api.sendsOnce === true;
  const messageId = before.messageId ?? (isFound ? await sendLine(deps, work, before) : null);
  if (messageId !== null) await api.remove?.({ place, messageId });
}

async function publish(queue: Queue, soFar: ProgressSoFar, seconds?: number): Promise<void> {
  const delaySeconds = seconds ?? (soFar.looks > OFTEN ? LONG_PAUSE_SECONDS : PAUSE_SECONDS);
  await queue.publish(messageTo(lookDue, soFar, { delaySeconds }));
}
