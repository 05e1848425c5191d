import type { ChannelApi, RenderedText, SentMessage } from "#src/channels/channel.ts";
import { nonceOf } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  channelApi,
  LOSS_SENTENCES,
  noteFailure,
  type ApiDeps,
} from "#src/domain/messaging/channels/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { DeliveryStream } from "#src/platform/redis/delivery-stream.ts";
import type { ChannelAdapter, Platform } from "#src/channels/channel.ts";
import type { ArtifactDeps } from "./artifact-files.ts";
import { MARK, placeOf, seedOf, sendMark } from "./outgoing.ts";
import {
  claimMessage,
  notePiece,
  postponeMessage,
  settleMessage,
  type ClaimedMessage,
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

/** Seconds before each further attempt; after the last the message has failed. */
const PAUSES = [1, 5, 30, 120, 300] as const;
/** A platform that asks for more patience has refused. */
const MAX_PAUSE_SECONDS = 3_600;

/**
 * Sends a message of the outbox, then those that waited for it at the same place. Does nothing for a message that is
 * settled, being sent, or not due. A message that cannot be sent now is postponed, or fails with a reason.
 */
export async function deliverMessage(deps: DeliverDeps, messageId: string): Promise<void> {
  let next: string | null = messageId;
  while (next !== null) {
    const claimed: ClaimedMessage | undefined = await claimMessage(deps.db, next);
    if (!claimed) return;
    next = await sendClaimed(deps, claimed);
  }
}

const NOT_ALLOWED =
  "The person is no longer linked in this channel, or has no access to its project: link the account again, or use a channel of the project";

/** Returns the next message to the same place; null when this one was postponed. */
async function sendClaimed(deps: DeliverDeps, claimed: ClaimedMessage): Promise<string | null> {
  const { message, channel, loss, isAllowed } = claimed;
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
    sent = await (claimed.message.kind === "artifact" ? sendArtifact : sendPieces)(deps, api, claimed);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return handleFailure(deps, claimed, error);
  }
  if (channel.lastError !== null) await noteFailure(deps.db, channel.id, null);
  return settleMessage(deps.db, message.id, {
    status: "delivered",
    platformMessageId: sent.messageId ?? null,
  });
}

/** Sends the pieces that the platform has not taken yet. Returns what it calls the last one. */
async function sendPieces(
  deps: DeliverDeps,
  api: ChannelApi,
  { message, channel }: ClaimedMessage,
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
    if (index < last) await notePiece(deps.db, message.id, index + 1);
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
  const { message, channel } = claimed;
  const { kind, retryAfterSeconds = 0 } = failure;
  const pause = PAUSES[message.attempts];
  const isPassing = kind === "busy" || kind === "unreachable";
  if (!isPassing || pause === undefined || retryAfterSeconds > MAX_PAUSE_SECONDS) {
    if (kind !== "refused") await noteFailure(deps.db, channel.id, failure.message);
    return fail(deps, claimed, failure.message);
  }
  const seconds = Math.max(retryAfterSeconds, pause * (0.75 + Math.random() / 2));
  await postponeMessage(deps.db, message.id, {
    seconds,
    error: failure.message,
    mayBeSent: failure.mayHaveHappened,
  });
  await deps.queue.publish({
    function: "deliver-message",
    shareOf: channel.userId,
    payload: { messageId: message.id },
    delaySeconds: seconds,
    deduplicationId: `deliver-${message.id}-${message.piecesSent}-${message.attempts + 1}`,
  });
  return null;
}

async function fail(
  deps: DeliverDeps,
  { message, channel }: ClaimedMessage,
  error: string,
): Promise<string | null> {
  deps.log.warn("a message to a platform failed", { message_id: message.id, channel_id: channel.id, error });
  const next = await settleMessage(deps.db, message.id, { status: "failed", error });
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
