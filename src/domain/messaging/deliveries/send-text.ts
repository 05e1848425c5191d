import type { ChannelAdapter, ChannelApi, Platform, SentMessage } from "#src/channels/channel.ts";
import { nonceOf } from "#src/channels/plain-text.ts";
import type { ApiDeps } from "#src/domain/messaging/channels/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Attempt } from "#src/work/job.ts";
import { hasRoomForMark, marked, sendMark } from "./mark.ts";
import { placeOf, seedOf } from "./outbox-message.ts";
import { piecesTaken, type MessageToSend } from "./queries/outbox.ts";

export interface SendTextDeps extends Pick<ApiDeps, "channelSecrets"> {
  db: Db;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "render">>>;
}

/** An attempt to send a message. */
export interface Sending extends Pick<Attempt<unknown, unknown>, "attempt" | "signal" | "store"> {
  /** Whether the platform may have what is sent first, and does not notice that by itself. */
  isDoubtful: boolean;
}

/**
 * Sends the pieces of a text that the platform has not taken yet. Returns what it calls the last one. Throws
 * `PlatformFailure`, and `Superseded` before a piece that is another executor's to send.
 */
export async function sendText(
  deps: SendTextDeps,
  api: ChannelApi,
  { message, channel }: Pick<MessageToSend, "message" | "channel">,
  { isDoubtful, store }: Sending,
): Promise<SentMessage> {
  const pieces = await deps.channels[channel.channelType].render(message.content);
  const last = pieces.length - 1;
  const replyTarget =
    message.replyTarget === null
      ? undefined
      : await deps.channelSecrets.decrypt(message.replyTarget).catch(() => undefined);
  const place = placeOf(message);
  let sent: SentMessage = { messageId: undefined };
  for (const [index, piece] of pieces.entries()) {
    if (index < message.piecesSent) continue;
    const isFirst = index === 0;
    const isMarked = isDoubtful && index === message.piecesSent;
    if (isMarked && !hasRoomForMark(piece)) await sendMark(api, message);
    sent = await api.send({
      place,
      text: isMarked && hasRoomForMark(piece) ? marked(piece) : piece,
      replyTo: isFirst ? (message.replyTo ?? undefined) : undefined,
      replyTarget: isFirst ? replyTarget : undefined,
      buttons: index === last ? (message.buttons ?? []) : [],
      isSilent: false,
      nonce: nonceOf(seedOf(message, String(index))),
    });
    if (index < last) {
      await store((isHeld) => [piecesTaken(deps.db, message.id, index + 1, isHeld)], { isProgress: true });
    }
  }
  return sent;
}
