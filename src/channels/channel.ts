import type { z } from "zod";

/** The platforms a channel can be of, as they are written in rows, URLs and targets. */
export const PLATFORMS = ["telegram", "discord", "slack", "whatsapp", "signal", "cli"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** A conversation on a platform. */
export interface Place {
  chatId: string;
  chatType: "dm" | "group";
  /** Thread or topic within the chat. */
  threadId: string | undefined;
}

/** A person on a platform. */
export interface Sender {
  /** Stable for the person, and unique on the platform: of Slack with the workspace, `T1:U1`. */
  id: string;
  /**
   * A second id of the same person, where the platform tells one: the business-scoped user id beside a WhatsApp number,
   * the number beside a Signal UUID.
   */
  alternateId: string | undefined;
  name: string;
}

/** A file of a message, to be fetched by the adapter. */
export interface MediaReference {
  kind: "voice" | "image" | "document";
  /** What the platform fetches the file by: its id or its address. */
  reference: string;
  mimeType: string | undefined;
  filename: string | undefined;
  /** In bytes, where the platform tells. */
  size: number | undefined;
}

/** A message that a person sent. */
export interface ReceivedMessage {
  kind: "message";
  /** Identifies the message among all of the channel: a redelivery has the same. */
  id: string;
  /** What the platform calls the message within its chat, for replies and reactions; a slash command has none. */
  messageId: string | undefined;
  /**
   * Where the reply goes when that is not the chat: the token of a Discord interaction, the response URL of a Slack
   * command. Both let their holder post, so neither is logged.
   */
  replyTarget: string | undefined;
  place: Place;
  sender: Sender;
  /** Without the mention of the bot. */
  text: string;
  /** Whether a group message is meant for the bot: it mentions the bot, replies to it, or is a command. */
  isAddressed: boolean;
  media: readonly MediaReference[];
  /** The message it replies to, by its `messageId`; the text is cut at 200 characters. */
  replyTo: { id: string; text: string } | undefined;
  /** When the platform says that it was sent. */
  sentAt: Date | undefined;
}

/** A button that a person pressed. */
export interface ReceivedClick {
  kind: "click";
  id: string;
  place: Place;
  sender: Sender;
  /** What the button was given when it was sent. */
  data: string;
  /** The message that has the button, as the platform calls it within its chat. */
  messageId: string;
  /** What the platform wants its confirmation addressed to, where it wants one. */
  confirmation: string | undefined;
}

/** What became of a message that was sent: some platforms accept first and tell later. */
export interface ReceivedStatus {
  kind: "status";
  messageId: string;
  status: "delivered" | "failed";
  /** A sentence, for a message that failed. */
  error: string | undefined;
}

/** The bot was removed from a chat, or blocked by its person. */
export interface ReceivedRemoval {
  kind: "removal";
  id: string;
  place: Place;
}

export type ReceivedEvent = ReceivedMessage | ReceivedClick | ReceivedStatus | ReceivedRemoval;

/** A request to a channel's webhook. Signatures are of the raw bytes. */
export interface WebhookRequest {
  method: "GET" | "POST";
  headers: Headers;
  query: URLSearchParams;
  body: Uint8Array<ArrayBuffer>;
}

/** What the platform is answered at once. */
export type WebhookReply = { json: unknown } | { text: string } | { empty: true };

/** What a verified webhook request holds. */
export interface Delivery {
  reply: WebhookReply;
  /** All of the request, in its order; none for what is of no concern. */
  events: readonly ReceivedEvent[];
}

/** Whom the channel is at its platform, so that it does not listen to itself. */
export interface Self {
  /** Id of the bot, where it is known: its user id, of WhatsApp the id of its number, of Signal its number. */
  botId: string | undefined;
  /** Name that groups mention it by, without `@`. */
  botName: string | undefined;
}

/** How texts of a platform are split. */
export interface TextLimit {
  max: number;
  unit: "utf16" | "code points" | "utf8 bytes";
}

/** A piece of a reply, in the platform's markup and as plain text for when it refuses the markup. */
export interface RenderedText {
  markup: string;
  plain: string;
}

/**
 * What the service knows of one platform: a folder below `src/channels` implements it, stateless. Deduplication, pairing,
 * sessions, retries and rate limits are the same for all, and in the domain.
 */
export interface ChannelAdapter<Credentials = Readonly<Record<string, unknown>>> {
  readonly platform: Platform;
  /** The name that people know. */
  readonly label: string;
  /** Checks what an owner enters. */
  readonly credentials: z.ZodType<Credentials>;
  /** What to do next at the platform, in sentences; `webhookUrl` is null where it needs none. */
  setup(input: { credentials: Credentials; webhookUrl: string | null }): readonly string[];
  /**
   * The answer to what a platform asks when a webhook is entered there: GET requests, and Slack's `url_verification`,
   * which come before any signature. Undefined for every other request, null for one that must be refused.
   */
  handshake(request: WebhookRequest, credentials: Credentials): WebhookReply | null | undefined;
  /**
   * Whether the platform signed the request: over the raw bytes, in constant time, and where the signature has a time
   * within 300 s of `now`, in milliseconds since the epoch. There is no unverified mode: no secret is false.
   */
  verify(
    request: WebhookRequest,
    secrets: { credentials: Credentials; webhookSecret: string },
    now: number,
  ): Promise<boolean>;
  /**
   * Reads a verified request. Throws `invalid_input` for a body that is not the platform's; what the platform sends and
   * the service does not know is no event, because a refusal makes the platform send it again. `now` is in milliseconds
   * since the epoch: messages that the platform kept for too long are dropped.
   */
  parse(request: WebhookRequest, self: Self, now: number): Delivery;
  /** An agent's Markdown as the platform's messages, in order. */
  render(markdown: string): Promise<readonly RenderedText[]>;
}
