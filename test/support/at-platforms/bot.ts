import type { Platform } from "#src/channels/channel.ts";
import type { ChannelView } from "../telegram-channel.ts";

/** A file in a chat. */
export interface FileThere {
  filename: string;
  mimeType: string;
  bytes: Buffer;
}

/** A chat that the bot is in, as one person uses it. */
export interface ChatThere {
  /** Writes to the bot: in a group with its mention. A webhook that does not return 200 is a broken test. */
  say(text: string): Promise<void>;
  /** Sends a file to the bot, with a text where the platform has texts beside such files. */
  send(file: FileThere, text?: string): Promise<void>;
  /** Texts of the bot that people read there now, in order. */
  shown(): readonly string[];
  /** Files of the bot there. */
  files(): readonly Pick<FileThere, "bytes">[];
  /** Allows once what the bot asks for in its newest question: by its button, where the platform has buttons. */
  allow(): Promise<void>;
}

/** A person who uses the platform. */
export interface PersonThere {
  /** The private chat with the bot. */
  dm: ChatThere;
  /** What the person begins in a new group, in its own thread where the platform has threads; WhatsApp has no groups. */
  group?: () => ChatThere;
}

/** A platform with a bot, as its people and the owner of a channel use it. */
export interface BotThere {
  platform: Platform;
  /** What the owner of the channel enters. */
  wish: { credentials: object; inbound_mode?: "connection" | "webhook" };
  /** Resolves when messages arrive at the channel. */
  connect(channel: ChannelView): Promise<void>;
  newPerson(): PersonThere;
}

/** The next of something, for names that no test shares with another. */
export function counter(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${count}`;
  };
}
