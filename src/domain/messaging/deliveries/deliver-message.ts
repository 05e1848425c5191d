import type { ChannelApi, RenderedText, SentMessage } from "#src/channels/channel.ts";
import { nonceOf } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  channelApi,
  LOSS_SENTENCES,
  noteFailure,
  retryPause,
  type ApiDeps,
} from "#src/domain/messaging/channels/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { DeliveryStream } from "#src/platform/redis/delivery-stream.ts";
import type { ChannelAdapter, Platform } from "#src/channels/channel.ts";
import { messageTo } from "#src/work/message.ts";
import type { ArtifactDeps } from "./artifact-files.ts";
import { MARK, placeOf, seedOf, sendMark } from "./outgoing.ts";
import { messageDue } from "./message-due.ts";
import { LostLease, MessageLease } from "./message-lease.ts";
import {
  claimMessage,
  failMessages,
  postponeMessage,
  settleMessage,
  type ClaimedMessage,
  type LeasedMessage,
} from "./queries/attempts.ts";
import { sendArtifact } from "./send-artifact.ts";
import { streamEntry } from "./stream-entry.ts";

export interface DeliverDeps extends ApiDeps, ArtifactDeps {
  queue: Queue;
  log: Log;
  /** Undefined when the service runs without Redis. */
  deliveryStream: DeliveryStream | undefined;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "render">>>;
}

/** Why a message fails in a service without Redis. */
export const NO_REDIS = "The service runs without Redis: nothing is sent to platforms";

/**
 * Sends a message of the outbox, then those that waited for it at the same place. Does nothing for a message that is settled
 * or not due. One that another executor sends comes back when that lease ends, since the executor may be dead. A message
 * that cannot be sent now is postponed, or fails with a reason, as every message does in a service without Redis.
 */
export async function deliverMessage(deps: DeliverDeps, messageId: string): Promise<void> {
  if (!deps.deliveryStream) return failMessages(deps.db, [messageId], NO_REDIS);
  let next: string | null = messageId;
  while (next !== null) {
    const claimed: ClaimedMessage | LeasedMessage | undefined = await claimMessage(deps.db, next);
    if (!claimed) return;
    if ("leaseUntil" in claimed) return comeBack(deps, next, claimed);
    next = await sendWithLease(deps, claimed);
  }
}

/** Publishes a message for the end of another executor's lease. Each renewal of the lease has one, however often it is met. */
async function comeBack(
  { queue }: DeliverDeps,
  messageId: string,
  { leaseUntil, secondsLeft }: LeasedMessage,
): Promise<void> {
  const delivery = {
    delaySeconds: Math.max(1, Math.ceil(secondsLeft)),
    deduplicationId: `deliver-${messageId}-leased-${leaseUntil.getTime()}`,
  };
  await queue.publish(messageTo(messageDue, { messageId }, delivery));
}

/** Returns the next message to the same place; null when this one was postponed, or is another executor's now. */
async function sendWithLease(deps: DeliverDeps, claimed: ClaimedMessage): Promise<string | null> {
  const lease = new MessageLease(deps, claimed.hold);
  try {
    return await sendClaimed(deps, claimed, lease);
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
    deps.log.warn("a message is sent by another executor", { message_id: claimed.message.id });
    return null;
  } finally {
    lease.end();
  }
}

const NOT_ALLOWED =
  "The person is no longer linked in this channel, or has no access to its project: link the account again, or use a channel of the project";

async function sendClaimed(
  deps: DeliverDeps,
  claimed: ClaimedMessage,
  lease: MessageLease,
): Promise<string | null> {
  const { hold, channel, loss, isAllowed } = claimed;
  if (loss !== null) return fail(deps, claimed, LOSS_SENTENCES[loss]);
  if (!isAllowed) return fail(deps, claimed, NOT_ALLOWED);
  let api: ChannelApi;
  try {
    api = await channelApi(deps, channel);
  } catch {
    return fail(deps, claimed, "The channel's credentials cannot be decrypted: enter them again");
  }
  let sent: SentMessage;
  try {
    sent = await (claimed.message.kind === "artifact" ? sendArtifact : sendPieces)(deps, api, claimed, lease);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return handleFailure(deps, claimed, error);
  }
  if (channel.lastError !== null) await noteFailure(deps.db, channel.id, null);
  return settle(deps, hold, { status: "delivered", platformMessageId: sent.messageId ?? null });
}

async function settle(
  { db }: DeliverDeps,
  hold: ClaimedMessage["hold"],
  outcome: Parameters<typeof settleMessage>[2],
): Promise<string | null> {
  const next = await settleMessage(db, hold, outcome);
  if (next === undefined) throw new LostLease();
  return next;
}

/** Sends the pieces that the platform has not taken yet. Returns what it calls the last one. */
async function sendPieces(
  deps: DeliverDeps,
  api: ChannelApi,
  { message, channel }: ClaimedMessage,
  lease: MessageLease,
): Promise<SentMessage> {
  const pieces = await deps.channels[channel.channelType].render(message.content);
  const last = pieces.length - 1;
  const replyTarget =
    message.replyTarget === null
      ? undefined
      : await deps.channelSecrets.decrypt(message.replyTarget).catch(() => undefined);
  let sent: SentMessage = { messageId: undefined };
  for (const [index, piece] of pieces.entries()) {
    if (index < message.piecesSent) continue;
    const isFirst = index === 0;
    const isDoubtful = index === message.piecesSent && message.mayBeSent && api.sendsOnce !== true;
    const place = placeOf(message);
    if (isDoubtful && piece.markup.length > HAS_ROOM) await sendMark(api, message);
    sent = await api.send({
      place,
      text: isDoubtful && piece.markup.length <= HAS_ROOM ? marked(piece) : piece,
      replyTo: isFirst ? (message.replyTo ?? undefined) : undefined,
      replyTarget: isFirst ? replyTarget : undefined,
      buttons: index === last ? (message.buttons ?? []) : [],
      isSilent: false,
      nonce: nonceOf(seedOf(message, String(index))),
    });
    if (index < last) await lease.notePiece(index + 1);
  }
  return sent;
}

/** Texts up to this length have room for the mark on every platform. */
const HAS_ROOM = 1_500;

function marked({ markup, plain }: RenderedText): RenderedText {
  return { markup: `${MARK}\n${markup}`, plain: `${MARK}\n${plain}` };
}

async function handleFailure(
  deps: DeliverDeps,
  claimed: ClaimedMessage,
  failure: PlatformFailure,
): Promise<string | null> {
  const { hold, message, channel } = claimed;
  const seconds = retryPause(failure, message.attempts, { spread: 0.75 + Math.random() / 2 });
  if (seconds === undefined) {
    if (failure.kind !== "refused") await noteFailure(deps.db, channel.id, failure.message);
    return fail(deps, claimed, failure.message);
  }
  const { message: error, mayHaveHappened: mayBeSent } = failure;
  if (!(await postponeMessage(deps.db, hold, { seconds, error, mayBeSent }))) throw new LostLease();
  const delivery = {
    shareOf: channel.userId,
    delaySeconds: seconds,
    deduplicationId: `deliver-${message.id}-${message.piecesSent}-${message.attempts + 1}`,
  };
  await deps.queue.publish(messageTo(messageDue, { messageId: message.id }, delivery));
  return null;
}

async function fail(
  deps: DeliverDeps,
  { hold, message, channel }: ClaimedMessage,
  error: string,
): Promise<string | null> {
  const next = await settle(deps, hold, { status: "failed", error });
  deps.log.warn("a message to a platform failed", { message_id: message.id, channel_id: channel.id, error });
  const entry = streamEntry({
    ...message,
    channelId: channel.id,
    chatId: placeOf(message).chatId,
    threadId: message.platformThreadId,
    sessionKey: "",
    content: "",
    artifactIds: [],
    attempt: message.attempts + 1,
  });
  await deps.deliveryStream
    ?.bury({ ...entry, error })
    .catch((cause: unknown) => deps.log.warn("the stream of failed messages does not respond", { cause }));
  return next;
}
