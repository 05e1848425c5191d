import type { Place } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";

/**
 * Whether a reply names the message that it answers. A private chat reads like a conversation, where nothing is quoted; but a
 * program at the command line tells by the name what was answered.
 */
export function namesMessage({ channelType }: Pick<Channel, "channelType">, { chatType }: Place): boolean {
  return chatType === "group" || channelType === "cli";
}
