import type { ChannelAdapter, ChannelApi, Place, Platform } from "#src/channels/channel.ts";
import { plainText } from "#src/channels/plain-text.ts";
import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
import { channelApi, type ApiDeps, type Channel } from "#src/domain/messaging/channels/index.ts";
import { heardIn, type LoggedEvent } from "#src/lib/server-sent-events.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
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
export interface ProgressSoFar {
  taskId: string;
  /** Id of the last event that was read. */
  after: number;
  /** The platform's id of the message that shows the progress. */
  messageId: string | null;
  lines: string[];
  /** Looks so far. */
  looks: number;
}

/** Tasks that end sooner show nothing but their reply. */
const FIRST_LOOK_SECONDS = 3;
/** Platforms show for five seconds that the bot writes. */
const PAUSE_SECONDS = 5;
/** After this many looks, ten minutes, less often. */
const OFTEN = 120;
const LONG_PAUSE_SECONDS = 20;
/** Of a long log only the end is read. */
const READ_EVENTS = 200;

/** Has the progress of a task shown where its message came from, from a few seconds after now until its end. */
export async function beginProgress({ queue }: { queue: Queue }, taskId: string): Promise<void> {
  await publish(queue, { taskId, after: 0, messageId: null, lines: [], looks: 0 }, FIRST_LOOK_SECONDS);
}

/**
 * Looks at a task once: shows that the agent writes, and its newest calls in one message that is edited in place. Removes
 * that message at the end. A task that waits for an approval shows nothing; its progress begins anew with the answer.
 * Failures at the platform are only logged: this is a courtesy.
 */
export async function showProgress(deps: ProgressDeps, before: ProgressSoFar): Promise<void> {
  const work = await workOf(deps.db, before.taskId);
  if (!work?.isLive) return;
  const { channel, place, status, isAsking, messageId: inReplyTo } = work;
  const api = await channelApi(deps, channel).catch(() => undefined);
  if (!api) return;
  const isOver = isTerminal(status) || isAsking;
  try {
    if (isOver) return await removeLine(api, place, before.messageId);
    await publish(
      deps.queue,
      await show(deps, api, { channel, place, inReplyTo: inReplyTo ?? undefined }, before),
    );
  } catch (cause) {
    deps.log.warn("the progress of a task could not be shown", { task_id: before.taskId, cause });
    if (!isOver) await publish(deps.queue, { ...before, looks: before.looks + 1 });
  }
}

async function show(
  deps: ProgressDeps,
  api: ChannelApi,
  { channel, place, inReplyTo }: { channel: Channel; place: Place; inReplyTo: string | undefined },
  before: ProgressSoFar,
): Promise<ProgressSoFar> {
  const { events, last } = await newEvents(deps, before);
  const lines = progressLines(before.lines, events);
  const soFar = { ...before, after: last, lines, looks: before.looks + 1 };
  await api.showTyping?.(place, inReplyTo).catch((cause: unknown) => {
    deps.log.warn("a platform does not show that the agent writes", { cause });
  });
  if (lines.join("\n") === before.lines.join("\n")) return soFar;
  await api.showWork?.(place, lines);
  if (!api.edit || !api.remove) return soFar;
  const [text] = await deps.channels[channel.channelType].render(asMarkdown(lines));
  if (!text) return soFar;
  const { messageId } = before;
  if (messageId !== null) {
    await api.edit({ place, messageId, text });
    return soFar;
  }
  const line = plainText(place, text, `progress:${before.taskId}`);
  const sent = await api.send({ ...line, isSilent: true });
  return { ...soFar, messageId: sent.messageId ?? null };
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

async function removeLine(api: ChannelApi, place: Place, messageId: string | null): Promise<void> {
  if (messageId !== null) await api.remove?.({ place, messageId });
}

async function publish(queue: Queue, soFar: ProgressSoFar, seconds?: number): Promise<void> {
  await queue.publish({
    function: "show-progress",
    payload: soFar,
    delaySeconds: seconds ?? (soFar.looks > OFTEN ? LONG_PAUSE_SECONDS : PAUSE_SECONDS),
  });
}
