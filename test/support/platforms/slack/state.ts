import { randomBytes } from "node:crypto";

/** A person of the mock's workspace. */
export interface SlackUser {
  id: string;
  name: string;
}

export interface SentFile {
  filename: string;
  mimeType: string;
  bytes: Buffer;
}

/** Part of a message, as it was sent. */
export interface Block {
  type: string;
  text?: { type: string; text: string };
  elements?: readonly Button[];
}

export interface Button {
  type: string;
  action_id: string;
  text: { type: string; text: string };
  value: string;
  style?: string;
}

/** A message as Slack keeps it: `ts` is its id within its channel. */
export interface SlackMessage {
  ts: string;
  channelId: string;
  threadTs: string | undefined;
  /** The bot's own id, of its messages. */
  userId: string;
  text: string;
  blocks: readonly Block[];
  files: readonly SentFile[];
  /** What the text notifies: the bot's texts should notify no one. */
  pings: string[];
  reactions: string[];
  edits: number;
  isEphemeral: boolean;
}

export interface Channel {
  id: string;
  isMember: boolean;
  /** Error with which Slack refuses what the bot does there. */
  refusal: string | undefined;
}

/** An address for responses to a command or a click. */
export interface ResponseTarget {
  channelId: string;
  /** The message that has the button. */
  original: SlackMessage | undefined;
  uses: number;
  isExpired: boolean;
}

/** What the mock knows. */
export class SlackState {
  readonly teamId = "T0MOCKTEAM";
  readonly appId = "A0MOCKAPP1";
  readonly botId = "B0MOCKBOT1";
  readonly botUser: SlackUser = { id: "U0MOCKBOT1", name: "helper" };
  readonly botToken = `xoxb-${randomBytes(16).toString("hex")}`;
  readonly appToken = `xapp-1-${randomBytes(16).toString("hex")}`;
  readonly signingSecret = randomBytes(16).toString("hex");
  readonly people = new Map<string, SlackUser>();
  readonly channels = new Map<string, Channel>();
  readonly messages: SlackMessage[] = [];
  readonly responses = new Map<string, ResponseTarget>();
  readonly uploads = new Map<string, { filename: string; length: number; bytes: Buffer | undefined }>();
  readonly files = new Map<string, SentFile>();
  readonly statuses: { channelId: string; threadTs: string; status: string }[] = [];
  /** Scopes that the app lacks. */
  readonly missingScopes = new Set<string>();
  #count = 0;

  /** A number that no other thing has. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }

  newTs(): string {
    return `${Math.floor(Date.now() / 1000)}.${String(this.next()).padStart(6, "0")}`;
  }

  person(name: string): SlackUser {
    const user = this.people.get(name) ?? { id: `U0PERSON${this.next()}`, name };
    this.people.set(name, user);
    return user;
  }

  addChannel(id: string): Channel {
    const channel = this.channels.get(id) ?? { id, isMember: true, refusal: undefined };
    this.channels.set(id, channel);
    return channel;
  }

  addMessage(given: Partial<SlackMessage> & Pick<SlackMessage, "channelId" | "userId">): SlackMessage {
    const message: SlackMessage = {
      ts: this.newTs(),
      threadTs: undefined,
      text: "",
      blocks: [],
      files: [],
      pings: given.userId === this.botUser.id ? pingsOf(given.text ?? "") : [],
      reactions: [],
      edits: 0,
      isEphemeral: false,
      ...given,
    };
    this.messages.push(message);
    return message;
  }

  find(channelId: unknown, ts: unknown): SlackMessage | undefined {
    return this.messages.find((one) => one.channelId === channelId && one.ts === ts);
  }

  remove(message: SlackMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  /** The path of a new address for responses. */
  addResponseTarget(channelId: string, original?: SlackMessage): string {
    const path = `/actions/${this.teamId}/${this.next()}/${randomBytes(12).toString("hex")}`;
    this.responses.set(path, { channelId, original, uses: 0, isExpired: false });
    return path;
  }

  /** The path of a file that a person sent. */
  addFile(file: SentFile): string {
    const path = `/files-pri/${this.teamId}-F${this.next()}/download/${encodeURIComponent(file.filename)}`;
    this.files.set(path, file);
    return path;
  }
}

/** Mentions as Slack reads them: what is escaped is none. */
export function pingsOf(text: string): string[] {
  return [...text.matchAll(/<([!@][^>|]+)/gu)].map(([, target = ""]) => target);
}

/** A message as Slack returns it. */
export function wireMessage(message: SlackMessage, { botId, appId, teamId }: SlackState): object {
  return {
    type: "message",
    user: message.userId,
    bot_id: botId,
    app_id: appId,
    team: teamId,
    text: message.text,
    ts: message.ts,
    ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
  };
}
