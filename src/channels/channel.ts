import type { z } from "zod";

/** The platforms a channel can be of, as they are written in rows, URLs and targets. */
export const PLATFORMS = ["telegram", "discord", "slack", "whatsapp", "signal", "cli"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Whether the origin of a chat or a task is a platform. */
export function isPlatform(origin: string): origin is Platform {
  return PLATFORMS.some((platform) => platform === origin);
}

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

/** Content of a message that the service does not take; the person is told so. */
export interface OtherContent {
  kind: "other";
  /** What the platform calls it, as a noun: `sticker`. */
  name: string;
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
  /** The API key of a command-line client; its permissions limit what the message may cause. */
  apiKeyId?: string | undefined;
  /** Without the mention of the bot. */
  text: string;
  /** Whether a group message is meant for the bot: it mentions the bot, replies to it, or is a command. */
  isAddressed: boolean;
  media: readonly (MediaReference | OtherContent)[];
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
  /** The API key of a command-line client. */
  apiKeyId?: string | undefined;
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
  /** Slack: the workspace of the bot; undefined for an app of a whole organisation. Other platforms: undefined. */
  teamId?: string | undefined;
  /** The application that the bot is of, where the platform has such and tells it. */
  appId?: string | undefined;
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

/** A button below a message. Platforms without buttons list the labels in the text instead. */
export interface Button {
  label: string;
  /** Comes back in a `ReceivedClick`; at most 64 bytes. */
  data: string;
  style: "primary" | "danger" | undefined;
}

/** A text to be sent. It is within the platform's limit. */
export interface OutgoingText {
  place: Place;
  text: RenderedText;
  /** The message that it replies to, by its `messageId`. */
  replyTo: string | undefined;
  /** As in the message that it replies to. A target that is no longer good makes the text go to the place. */
  replyTarget: string | undefined;
  buttons: readonly Button[];
  /** Whether the person's device stays quiet, where the platform can. */
  isSilent: boolean;
  /**
   * Identifies the text over all attempts to send it, at most 25 characters. Platforms that know such ids then send it once.
   */
  nonce: string;
}

/** A file to be sent, at most 25 MiB. */
export interface OutgoingFile extends Pick<OutgoingText, "place" | "replyTo" | "nonce"> {
  filename: string;
  mimeType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the platform calls a message that was sent; undefined where it does not tell. */
export interface SentMessage {
  messageId: string | undefined;
}

/**
 * The calls of one channel at its platform. All throw `PlatformFailure`, and nothing else for what the platform or the
 * network does. What a platform cannot do is absent.
 */
export interface ChannelApi {
  /** Whether the platform sends texts with the same nonce once, so that an attempt may be repeated. */
  readonly sendsOnce?: boolean;
  /** Proves the credentials by a call at the platform, and says who the bot is. */
  identify(): Promise<Self>;
  /** Sends a text as markup, or as plain text when the platform refuses the markup. */
  send(message: OutgoingText): Promise<SentMessage>;
  sendFile?(file: OutgoingFile): Promise<SentMessage>;
  /** Replaces the text of a message that was sent, and removes its buttons. An unchanged text is no failure. */
  edit?(message: { place: Place; messageId: string; text: RenderedText }): Promise<void>;
  /** Deletes a message that was sent. A missing message is no failure. */
  remove?(message: { place: Place; messageId: string }): Promise<void>;
  /** Shows for some seconds that the bot writes; `inReplyTo` is the person's message. */
  showTyping?(place: Place, inReplyTo: string | undefined): Promise<void>;
  /** Shows the agent's newest calls, one line each, where messages cannot be edited. */
  showWork?(place: Place, lines: readonly string[]): Promise<void>;
  /** Reacts to a person's message with an emoji. */
  react?(message: { place: Place; messageId: string; sender: Sender }, emoji: string): Promise<void>;
  /** Tells the platform that a click was received; `text` is shown to the person, where the platform can. */
  confirmClick?(click: ReceivedClick, text: string): Promise<void>;
  /** Where one person is written to; `userId` is a `Sender.id`. */
  directPlace(userId: string): Promise<Place>;
  /** Fetches a file that a message refers to; throws `PlatformFailure` of kind `refused` above `maxBytes`. */
  download?(
    media: MediaReference,
    maxBytes: number,
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; mimeType: string }>;
  /** Has the platform call the webhook. */
  registerWebhook?(url: string, secret: string): Promise<void>;
  /** Ends what `registerWebhook` began. */
  removeWebhook?(): Promise<void>;
}

/** What a channel's calls need of the service. */
export interface ApiEnvironment {
  /** Base address of the platform's API, without a slash at the end. */
  baseUrls: Readonly<Record<"telegram" | "slack" | "discord" | "whatsapp", string>>;
  /** Address of the chat platform of `npm start`, where it runs: bots whose token begins with `standin` are there. */
  chatPlatformUrl?: string | undefined;
  /** For the platform's own addresses. */
  fetch: typeof fetch;
  /** For addresses that a user gave, such as a Signal bridge: it takes no request body but text. */
  guardedFetch: typeof fetch;
  /** Command-line clients of a user: stores a frame for them and sends it to those that are connected. Returns its id. */
  terminals: { push(userId: string, frame: Readonly<Record<string, unknown>>): Promise<number> };
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
  /**
   * Whether the service registers the webhook by itself. Its secret is then known to the service and the platform alone, and
   * is the proof that the platform calls; it is never shown.
   */
  readonly registersWebhook?: boolean;
  /** Whether the credentials are of the chat platform of `npm start`, which production does not have. */
  isStandIn?(credentials: Credentials): boolean;
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
   * Reads a verified request. Throws `invalid_input` for a body that is not the platform's, and `unauthenticated` for one that
   * names another bot than the credentials do; what the platform sends and the service does not know is no event, because a
   * refusal makes the platform send it again. `now` is in milliseconds
   * since the epoch: messages that the platform kept for too long are dropped.
   */
  parse(request: WebhookRequest, self: Self, now: number): Delivery;
  /**
   * Whether the platform sends a webhook's request again that was refused with 429 while this event waited in it. Events of
   * connections are never refused.
   */
  sendsAgain(event: ReceivedEvent): boolean;
  /** An agent's Markdown as the platform's messages, in order. */
  render(markdown: string): Promise<readonly RenderedText[]>;
  /** The channel's calls at its platform. */
  api(credentials: Credentials, environment: ApiEnvironment): ChannelApi;
}
