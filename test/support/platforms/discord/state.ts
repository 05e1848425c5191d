import { randomBytes } from "node:crypto";

/** Time that Discord's ids count from. */
const EPOCH_MS = 1_420_070_400_000;

/** A person of the mock. */
export interface DiscordUser {
  id: string;
  username: string;
  global_name: string;
  bot?: boolean;
}

export interface SentFile {
  filename: string;
  mimeType: string;
  bytes: Buffer;
}

/** A message as Discord keeps it. */
export interface DiscordMessage {
  id: string;
  channelId: string;
  author: DiscordUser;
  content: string;
  /** Rows of buttons, as they were sent. */
  components: readonly { components: readonly { label: string; custom_id: string; style: number }[] }[];
  files: readonly SentFile[];
  replyTo: string | undefined;
  flags: number;
  /** What the text would have notified: the bot's texts should notify no one. */
  pings: string[];
  reactions: string[];
  edits: number;
  /** Whether only the person who acted sees it. */
  isEphemeral: boolean;
  nonce: string | undefined;
}

/** A message as Discord returns and dispatches it: of its fields, those that tests read. */
export interface WireMessage extends Record<string, unknown> {
  attachments: readonly ({ url: string } & Record<string, unknown>)[];
}

export interface Channel {
  id: string;
  /** Undefined in a private chat. */
  guildId: string | undefined;
  /** Code with which Discord refuses what the bot does there. */
  refusal: number | undefined;
}

/** A command or a click, and the replies it got. */
export interface Interaction {
  id: string;
  token: string;
  channelId: string;
  /** Type of the first reply; undefined before. */
  answered: number | undefined;
  /** The message that the first reply made, or is still to make. */
  original: DiscordMessage | undefined;
  isExpired: boolean;
}

/** What the mock knows. */
export class DiscordState {
  readonly applicationId: string;
  readonly bot: DiscordUser;
  readonly token: string;
  readonly channels = new Map<string, Channel>();
  readonly messages: DiscordMessage[] = [];
  readonly interactions = new Map<string, Interaction>();
  readonly files = new Map<string, SentFile>();
  readonly typing: string[] = [];
  readonly commands: unknown[] = [];
  #count = 0;

  constructor() {
    this.applicationId = this.newId();
    this.bot = { id: this.applicationId, username: "helper-bot", global_name: "Helper", bot: true };
    const id = Buffer.from(this.applicationId).toString("base64url");
    this.token = `${id}.${randomBytes(4).toString("hex")}.${randomBytes(20).toString("base64url")}`;
  }

  /** A snowflake. */
  newId(): string {
    this.#count += 1;
    return String((BigInt(Date.now() - EPOCH_MS) << 22n) + BigInt(this.#count));
  }

  addChannel({ id = this.newId(), guildId }: { id?: string; guildId?: string } = {}): Channel {
    const channel = this.channels.get(id) ?? { id, guildId, refusal: undefined };
    this.channels.set(id, channel);
    return channel;
  }

  /** The private chat of a person and the bot. Its id is not the person's, always the same, and that of nothing else. */
  directChannel(personId: string): Channel {
    return this.addChannel({ id: String(BigInt(personId) + (1n << 20n)) });
  }

  addMessage(given: Partial<DiscordMessage> & Pick<DiscordMessage, "channelId" | "author">): DiscordMessage {
    const message: DiscordMessage = {
      id: this.newId(),
      content: "",
      components: [],
      files: [],
      replyTo: undefined,
      flags: 0,
      pings: [],
      reactions: [],
      edits: 0,
      isEphemeral: false,
      nonce: undefined,
      ...given,
    };
    this.messages.push(message);
    return message;
  }

  removeMessage(message: DiscordMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  addInteraction(channelId: string): Interaction {
    const interaction: Interaction = {
      id: this.newId(),
      token: randomBytes(30).toString("base64url"),
      channelId,
      answered: undefined,
      original: undefined,
      isExpired: false,
    };
    this.interactions.set(interaction.token, interaction);
    return interaction;
  }

  /** A message as Discord returns and dispatches it. */
  wireMessage(message: DiscordMessage, origin: string): WireMessage {
    const repliedTo = this.messages.find(({ id }) => id === message.replyTo);
    const guildId = this.channels.get(message.channelId)?.guildId;
    return {
      id: message.id,
      type: message.replyTo === undefined ? 0 : 19,
      channel_id: message.channelId,
      ...(guildId !== undefined && { guild_id: guildId }),
      author: message.author,
      content: message.content,
      timestamp: new Date().toISOString(),
      edited_timestamp: message.edits > 0 ? new Date().toISOString() : null,
      tts: false,
      mention_everyone: message.pings.includes("everyone"),
      mentions: message.content.includes(`<@${this.bot.id}>`) ? [this.bot] : [],
      mention_roles: [],
      attachments: message.files.map((file) => this.#wireFile(file, origin)),
      embeds: [],
      components: message.components,
      pinned: false,
      flags: message.flags,
      ...(message.nonce !== undefined && { nonce: message.nonce }),
      ...(repliedTo !== undefined && { referenced_message: this.wireMessage(repliedTo, origin) }),
    };
  }

  #wireFile(file: SentFile, origin: string): WireMessage["attachments"][number] {
    const id = this.newId();
    const path = `/attachments/${id}/${encodeURIComponent(file.filename)}`;
    this.files.set(path, file);
    const { filename, mimeType, bytes } = file;
    return { id, filename, content_type: mimeType, size: bytes.length, url: `${origin}${path}?ex=1&hm=2` };
  }
}
