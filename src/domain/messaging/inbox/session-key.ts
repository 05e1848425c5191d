import type { Place, Platform } from "#src/channels/channel.ts";

/** One person at one place of a channel: events of one session are handled one after the other. */
export interface SessionKey {
  channelId: string;
  /** `<platform>:<dm or group>:<chat id>[:<thread id>]`. */
  sessionKey: string;
  senderId: string;
}

/** The place of a session. */
export function placeOfSession(session: {
  platformChatId: string;
  platformChatType: Place["chatType"];
  platformThreadId: string | null;
}): Place {
  return {
    chatId: session.platformChatId,
    chatType: session.platformChatType,
    threadId: session.platformThreadId ?? undefined,
  };
}

/** The name of a place in rows and in what the owner sees. Ids are never recovered from it. */
export function sessionKeyOf(platform: Platform, { chatType, chatId, threadId }: Place): string {
  return [platform, chatType, chatId, ...(threadId === undefined ? [] : [threadId])].join(":");
}

/** `<platform>:<chat id>`, as messages and targets name a chat. */
export function jidOf(platform: Platform, chatId: string): string {
  return `${platform}:${chatId}`;
}
