import type { ChannelAdapter, Platform } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import {
  findFiles,
  MAX_FILES,
  placeOf,
  resumeAwaited,
  sendAwaited,
  type OutboxDeps,
} from "#src/domain/messaging/deliveries/index.ts";
import { originOfTask, placeOfSession, sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { RateLimits } from "#src/domain/operations/limits/index.ts";
import { findPlace, type FoundPlace } from "./find-place.ts";
import type { SendingTask } from "./queries.ts";

export interface SendDeps extends OutboxDeps {
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "render" | "label">>>;
  /** How long the model waits for a platform, in milliseconds; ten seconds if absent. */
  patienceMs?: number;
}

/** A message of an agent. */
export interface AgentText {
  text: string;
  /** Paths in the task's project; they are sent after the text. */
  files: readonly string[];
  /** Identifies the call among those of the task: a repetition sends nothing. */
  callId: string;
}

/** What became of a message, as far as is known after a short while. */
export type Outcome = { platform: Platform; label: string } & (
  | { status: "sent"; chatId: string; platformMessageId: string | null }
  | { status: "failed"; reason: string }
  /** It is in the outbox, and is sent later; with what failed until now. */
  | { status: "queued"; chatId: string; reason: string | null }
);

const PATIENCE_MS = 10_000;

/**
 * Sends an agent's message to a platform: without a target to the person's home or private chat there. Throws `not_found`
 * when the person has no channel or no account of the platform, `forbidden` for a target that the person's channels do not
 * know, and `invalid_input` for files that the project does not have.
 */
export async function sendForTask(
  deps: SendDeps,
  task: SendingTask,
  message: AgentText & { platform: Platform; target: string | undefined },
): Promise<Outcome> {
  const { platform, target } = message;
  await requireFiles(deps, task, message.files);
  const found = await findPlace(deps, task, { platform, target });
  if (found instanceof PlatformFailure) return failed(deps, platform, found.message);
  return send(deps, task, message, { ...found, replyTo: undefined });
}

/**
 * Sends an agent's message to the chat that its task came from. Throws `not_found` for a task of no platform, and
 * `invalid_input` as `sendForTask` does.
 */
export async function replyForTask(deps: SendDeps, task: SendingTask, message: AgentText): Promise<Outcome> {
  const origin = await originOfTask(deps.db, task);
  if (!origin) throw new AppError("not_found", "This task has no chat of a platform that it may write to");
  await requireFiles(deps, task, message.files);
  const { channel, session, person, replyTo } = origin;
  const place = placeOfSession(session);
  return send(deps, task, message, { channel, place, replyTo: replyTo ?? undefined, ...person });
}

/**
 * Goes on with the message of a call whose executor has died, and returns its outcome as `sendForTask` does. Undefined if the
 * call has stored none.
 */
export async function resumeForTask(
  deps: SendDeps,
  { id: taskId }: Pick<SendingTask, "id">,
  callId: string,
): Promise<Outcome | undefined> {
  const stored = { taskId, occasion: occasionOf(taskId, callId) };
  const resumed = await resumeAwaited(deps, stored, deps.patienceMs ?? PATIENCE_MS);
  return resumed && outcomeOf(deps, resumed.platform, resumed.message);
}

const occasionOf = (taskId: string, callId: string) => `send:${taskId}:${callId}`;

async function requireFiles(deps: SendDeps, task: SendingTask, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  if (files.length > MAX_FILES) {
    throw new AppError("invalid_input", `A message has at most ${MAX_FILES} files`);
  }
  const found = await findFiles(deps, task, files);
  const missing = files.filter((path) => !found.includes(path));
  if (missing.length === 0) return;
  throw new AppError(
    "invalid_input",
    `The project has no file ${missing.join(", ")} that this task may read`,
  );
}

/** Counts a message of a task's agent to people outside of the chat. Throws `rate_limited`. */
export async function countMessage(
  { rateLimits }: { rateLimits: RateLimits },
  { id }: Pick<SendingTask, "id">,
): Promise<void> {
  const decision = await rateLimits.take("send", id);
  if (decision?.allowed !== false) return;
  const { retryAfterSeconds } = decision;
  throw new AppError("rate_limited", `This task sends too many messages: wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });
}

async function send(
  deps: SendDeps,
  task: SendingTask,
  { text, files, callId }: AgentText,
  { channel, place, identityId, replyTo }: FoundPlace & { replyTo: string | undefined },
): Promise<Outcome> {
  const platform = channel.channelType;
  const sent = await sendAwaited(
    deps,
    {
      channel,
      sessionKey: sessionKeyOf(platform, place),
      place,
      kind: "message",
      content: text,
      occasion: occasionOf(task.id, callId),
      replyTo,
      replyTarget: undefined,
      buttons: [],
      taskId: task.id,
      person: { userId: task.userId, identityId },
    },
    { files, patienceMs: deps.patienceMs ?? PATIENCE_MS },
  );
  return outcomeOf(deps, platform, sent);
}

function outcomeOf(deps: SendDeps, platform: Platform, message: ChannelMessage): Outcome {
  const { status, error, platformMessageId } = message;
  if (status === "failed") return failed(deps, platform, error ?? "The platform did not take it");
  const named = { platform, label: deps.channels[platform].label, chatId: placeOf(message).chatId };
  if (status === "pending") return { ...named, status: "queued", reason: error };
  return { ...named, status: "sent", platformMessageId };
}

function failed({ channels }: SendDeps, platform: Platform, reason: string): Outcome {
  return { platform, label: channels[platform].label, status: "failed", reason };
}
