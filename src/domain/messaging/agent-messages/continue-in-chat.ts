import type { Place } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { pointSession } from "./queries.ts";

/**
 * Has a person's private conversation at a place go on in another chat: the person reads what was said there last, and
 * answers that. A conversation whose task is at work stays where it is. Where others read, only a reply that names the
 * message goes on in its chat.
 */
export async function continueInChat(
  db: Db,
  { channel, place, userId, chatId }: { channel: Channel; place: Place; userId: string; chatId: string },
): Promise<void> {
  if (place.chatType !== "dm") return;
  const sessionKey = sessionKeyOf(channel.channelType, place);
  await pointSession(db, { channelId: channel.id, sessionKey, place, userId, chatId });
}
