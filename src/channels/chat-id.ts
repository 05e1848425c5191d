import type { Platform } from "./channel.ts";

/** How a platform writes the ids that a message can be sent to. */
interface ChatIdForm {
  pattern: RegExp;
  /** Completes "a chat id is". */
  words: string;
}

/** A thread or topic may follow the id of a chat. */
const FORMS: Readonly<Record<Platform, ChatIdForm>> = {
  // Ids have at most 52 bits (https://core.telegram.org/bots/api#chat); public chats also have a name.
  telegram: {
    pattern: /^(?:-?\d{1,16}(?::\d{1,16})?|@[A-Za-z][A-Za-z0-9_]{3,31})$/u,
    words: "a number such as 123456789 or -1001234567890, or the @name of a public chat",
  },
  // Numbers of 64 bits (https://docs.discord.com/developers/reference#snowflakes).
  discord: { pattern: /^\d{1,20}(?::\d{1,20})?$/u, words: "a number such as 1234567890123456789" },
  // Channels, private chats, groups and people; of people the workspace may stand before. Slack names no length.
  slack: {
    pattern: /^(?:[CDG][A-Z0-9]{1,30}(?::\d{1,16}\.\d{1,16})?|(?:[TE][A-Z0-9]{1,30}:)?[UW][A-Z0-9]{1,30})$/u,
    words: "an id such as C0123456789 or U0123456789",
  },
  // A number (E.164: at most 15 digits), or the id of a person within a business portfolio, `US.` and letters and digits.
  whatsapp: {
    pattern: /^(?:(?=(?:\D*\d){5,15}\D*$)\+?[\d\s().-]{1,40}|[A-Z]{2}\.[A-Za-z0-9]{1,128})$/u,
    words: "a phone number with its country code, such as +491701234567",
  },
  // A number, the id of a person, or a group as signal-cli-rest-api writes it.
  signal: {
    pattern:
      /^(?:(?=(?:\D*\d){5,15}\D*$)\+?[\d\s().-]{1,40}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|group\.[A-Za-z0-9+/_=-]{1,150})$/u,
    words: "a phone number with its country code such as +491701234567, a person's id, or group.… of a group",
  },
  // The terminals of a person are one chat, whose id is the person's.
  cli: { pattern: /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, words: "the id of a person" },
};

/** Whether a text can be the id of a chat at the platform; whether there is such a chat, only the platform knows. */
export function isChatId(platform: Platform, text: string): boolean {
  return FORMS[platform].pattern.test(text);
}

/** What an id of the platform looks like, in words that complete "a chat id is". */
export function chatIdForm(platform: Platform): string {
  return FORMS[platform].words;
}
