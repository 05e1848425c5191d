/** Objects of the Bot API, as far as this platform has them: https://core.telegram.org/bots/api#available-types */

export interface ApiUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  username: string;
}

export interface ApiChat {
  id: number;
  type: "private" | "supergroup";
  title?: string;
  is_forum?: true;
  first_name?: string;
  username?: string;
}

/** Offsets count UTF-16 units. */
export interface ApiEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

export interface ApiButton {
  text: string;
  callback_data?: string | undefined;
  url?: string | undefined;
  style?: string | undefined;
}

export interface ApiFile {
  file_id: string;
  file_unique_id: string;
  file_size: number;
  file_name?: string;
  mime_type?: string;
  duration?: number;
  width?: number;
  height?: number;
}

export interface ApiMessage {
  message_id: number;
  message_thread_id?: number;
  is_topic_message?: true;
  from: ApiUser;
  chat: ApiChat;
  date: number;
  edit_date?: number;
  text?: string;
  entities?: ApiEntity[];
  caption?: string;
  caption_entities?: ApiEntity[];
  reply_to_message?: ApiMessage;
  reply_markup?: { inline_keyboard: ApiButton[][] };
  photo?: ApiFile[];
  voice?: ApiFile;
  document?: ApiFile;
}

/** A message as it is kept. */
export interface KeptMessage {
  message: ApiMessage;
  /** Of the bot; a person's reactions are not supported. */
  reactions: string[];
  /** Whether the person's device stayed quiet. */
  isSilent: boolean;
}

/** Kinds of updates that a bot may ask for, and that this platform makes. */
export type UpdateKind = "message" | "edited_message" | "callback_query" | "my_chat_member";

/** A bot, whose token begins with `standin`. */
export interface Bot {
  id: number;
  token: string;
  username: string;
  webhook: { url: string; secretToken: string | undefined; maxConnections: number } | undefined;
  /** Empty is all. */
  allowedUpdates: readonly string[];
  commands: readonly { command: string; description: string }[];
}

/** A bot as others see it. */
export function userOf(bot: Bot): ApiUser {
  return { id: bot.id, is_bot: true, first_name: "Stand-in", username: bot.username };
}

/** A person of this platform. The private chat with a person has the person's id. */
export interface Person {
  id: number;
  name: string;
  username: string;
}

/** A group, in which every bot is. */
export interface Group {
  id: number;
  title: string;
  members: readonly number[];
}

/** A chat as a bot sees it. */
export interface Chat {
  api: ApiChat;
  members: readonly Person[];
  /** Whether the person wrote to the bot first: before, it must not write. Of a group always. */
  isStarted: boolean;
  /** Whether the person blocked the bot, or the group removed it. */
  isClosed: boolean;
}

/** A person as a user of the Bot API. */
export function userOfPerson({ id, name, username }: Person): ApiUser {
  return { id, is_bot: false, first_name: name, username };
}
