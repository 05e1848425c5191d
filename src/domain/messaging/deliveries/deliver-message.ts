import type { ChannelAdapter, Platform } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  channelApi,
  failureNoted,
  isWorthRetrying,
  LOSS_SENTENCES,
  RETRY_PAUSES,
  type ApiDeps,
} from "#src/domain/messaging/channels/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { DeliveryStream } from "#src/platform/redis/delivery-stream.ts";
import { defineJob, messageOf, type Attempt, type Outcome } from "#src/work/job.ts";
import type { FileDeps } from "./files.ts";
import { messageDue } from "./message-due.ts";
import { placeOf, streamEntry } from "./outbox-message.ts";
import {
  attemptFailed,
  messageBehind,
  messageDelivered,
  messageFailed,
  messageToSend,
  type MessageToSend,
} from "./queries/outbox.ts";
import { sendFile } from "./send-file.ts";
import { sendText } from "./send-text.ts";

export interface OutboxDeps extends ApiDeps, FileDeps {
  queue: Queue;
  log: Log;
  /** Undefined when the service runs without Redis. */
  deliveryStream: DeliveryStream | undefined;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "render">>>;
}

/**
 * Sends a message of the outbox, behind those that were stored before it for the same place. One that the platform does not
 * take is tried again, or fails with a reason that the channel's owner sees, as every message does in a service without Redis.
 */
export const deliverMessage = defineJob(messageDue, {
  pauses: RETRY_PAUSES,
  read: messageToSend,
  run: async (deps: OutboxDeps, attempt) => {
    const [found] = attempt.read;
    // The message is gone with its channel, or an earlier executor has sent it.
    if (!found || found.message.status === "delivered") return { kind: "done" };
    if (found.before !== null) return behind(deps, attempt, found.before);
    const error = refusalOf(deps, found, attempt);
    return error === undefined
      ? send(deps, attempt, found)
      : failed(deps, attempt, found, { error, isFinal: true });
  },
  interrupted: async (deps: OutboxDeps, attempt) => {
    const [found] = attempt.read;
    return found ? failed(deps, attempt, found, { error: INTERRUPTED, isFinal: true }) : { kind: "done" };
  },
  onGivingUp: (id, error) => [messageFailed(id, error)],
  next: messageBehind,
});

const INTERRUPTED = "Sending was interrupted too many times";
const NO_REDIS = "The service runs without Redis: nothing is sent to platforms";
const NOT_ALLOWED =
  "The person is no longer linked in this channel, or has no access to its project: link the account again, or use a channel of the project";
const NO_CREDENTIALS = "The channel's credentials cannot be decrypted: enter them again";

/** A reply that is older surprises its reader. */
const FRESH_MS = 24 * 3_600_000;
const STALE = "The message could not be sent for a day";

type Sent = Attempt<unknown, readonly MessageToSend[]>;

/** The message waits for the one before it. It has that one sent if otherwise only the sweep would. */
function behind(
  { queue }: OutboxDeps,
  { term, read: [found] }: Sent,
  { id, seconds, isForgotten }: NonNullable<MessageToSend["before"]>,
): Outcome {
  const forgotten = { name: deliverMessage.name, key: id };
  const publish = () =>
    queue.publish(messageOf(forgotten, { occasion: `behind-${term}`, share: found?.channel.userId }));
  return { kind: "later", seconds: Math.ceil(seconds), ...(isForgotten && { afterwards: publish }) };
}

/** Why a message is not to be sent at all, as a sentence. */
function refusalOf(
  { deliveryStream }: OutboxDeps,
  { loss, isAllowed }: MessageToSend,
  { storedAt }: Sent,
): string | undefined {
  if (!deliveryStream) return NO_REDIS;
  if (Date.now() - storedAt > FRESH_MS) return STALE;
  if (loss !== null) return LOSS_SENTENCES[loss];
  return isAllowed ? undefined : NOT_ALLOWED;
}

async function send(deps: OutboxDeps, attempt: Sent, found: MessageToSend): Promise<Outcome> {
  const { message, channel } = found;
  const api = await channelApi(deps, channel).catch(() => undefined);
  if (!api) return failed(deps, attempt, found, { error: NO_CREDENTIALS, isFinal: true });
  const isDoubtful = (message.mayBeSent || attempt.isTakeover) && api.sendsOnce !== true;
  const sending = { attempt: attempt.attempt, signal: attempt.signal, store: attempt.store, isDoubtful };
  try {
    const sent = await (message.kind === "artifact" ? sendFile : sendText)(deps, api, found, sending);
    const works = channel.lastError === null ? [] : [failureNoted(channel.id, null)];
    return { kind: "done", writes: [messageDelivered(message.id, sent.messageId ?? null), ...works] };
  } catch (error) {
    if (attempt.signal.aborted) throw error;
    return failed(deps, attempt, found, failureOf(error));
  }
}

interface Failure {
  error: string;
  cause?: unknown;
  isFinal?: boolean;
  notBeforeSeconds?: number | undefined;
  /** Whether the platform may have what was sent last. */
  mayBeSent?: boolean;
  /** Whether the owner of the channel is told, if it was the last attempt. */
  isOfChannel?: boolean;
}

function failureOf(cause: unknown): Failure {
  // After an unexpected failure the platform may have the message, or not.
  if (!(cause instanceof PlatformFailure))
    return { error: "An internal error occurred", cause, mayBeSent: true };
  return {
    error: cause.message,
    cause,
    isFinal: !isWorthRetrying(cause),
    notBeforeSeconds: cause.retryAfterSeconds,
    mayBeSent: cause.mayHaveHappened,
    isOfChannel: cause.kind !== "refused",
  };
}

function failed(
  deps: OutboxDeps,
  attempt: Sent,
  { message, channel }: MessageToSend,
  { mayBeSent = false, isOfChannel = false, isFinal = false, ...failure }: Failure,
): Outcome {
  const { error } = failure;
  const outcome = { kind: "failed", ...failure, isFinal } as const;
  const tried = attemptFailed(message.id, { error, mayBeSent: mayBeSent || attempt.isTakeover });
  if (!isFinal && !attempt.isLast) return { ...outcome, writes: [tried] };
  return {
    ...outcome,
    writes: isOfChannel ? [tried, failureNoted(channel.id, error)] : [tried],
    afterwards: () => bury(deps, { message, channel }, { error, attempt: attempt.attempt }),
  };
}

/** Says in Redis that a message has failed, for other programs. */
async function bury(
  { deliveryStream, log }: OutboxDeps,
  { message, channel }: Pick<MessageToSend, "message" | "channel">,
  { error, attempt }: { error: string; attempt: number },
): Promise<void> {
  const { id } = message;
  const place = placeOf(message);
  const replyTo = message.replyTo ?? undefined;
  const entry = streamEntry(
    { ...message, channel, place, replyTo, sessionKey: "", content: "" },
    { id, artifactIds: [], attempt },
  );
  await deliveryStream
    ?.bury({ ...entry, error })
    .catch((cause: unknown) => log.warn("the stream of failed messages does not respond", { cause }));
}
