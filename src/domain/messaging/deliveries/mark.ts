import type { ChannelApi, RenderedText } from "#src/channels/channel.ts";
import { plainText } from "#src/channels/plain-text.ts";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { placeOf, seedOf } from "./outbox-message.ts";

/** Says that the person may have the message already. */
export const MARK = "(This may be a repetition.)";

/** Texts up to this length have room for the mark on every platform. */
const HAS_ROOM = 1_500;

export const hasRoomForMark = ({ markup }: RenderedText): boolean => markup.length <= HAS_ROOM;

export function marked({ markup, plain }: RenderedText): RenderedText {
  return { markup: `${MARK}\n${markup}`, plain: `${MARK}\n${plain}` };
}

/** Marks what has no room for the mark, by a message before it. */
export async function sendMark(api: ChannelApi, message: ChannelMessage): Promise<void> {
  const text = plainText(placeOf(message), { markup: MARK, plain: MARK }, seedOf(message, "mark"));
  await api.send({ ...text, isSilent: true });
}
