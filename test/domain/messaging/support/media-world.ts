import { eq, getTableColumns, sql } from "drizzle-orm";
import type { ChannelApi, MediaReference, OutgoingFile, ReceivedMessage } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelMessages, chats, messages, tasks } from "#src/db/schema/index.ts";
import { advanceSession, type ConversationDeps } from "#src/domain/conversations/sessions/index.ts";
import { receiveEvents } from "#src/domain/messaging/inbox/index.ts";
import type { AttemptRule } from "#src/domain/operations/limits/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { CachedMedia } from "#src/platform/media-cache/media-cache.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { partOf } from "#test/support/part-of.ts";
import { CONVERSATION_PARTS, privateMessage } from "./conversation-parts.ts";
import { newLinkedChannel, type LinkedChannel } from "./people-of-platforms.ts";

type InboxDeps = Parameters<typeof receiveEvents>[0];

const publish = async () => {};
const queue = { publish, publishBatch: publish, ensureSchedule: publish, answers: async () => true };

/** What a platform hands out for a reference: its bytes, or a failure. */
type Handed = Uint8Array<ArrayBuffer> | PlatformFailure;

/** A channel whose platform hands out and takes files, a person, and the project. */
export class MediaWorld {
  readonly files = new Map<string, Handed>();
  readonly cache = new Map<string, CachedMedia & { storedAt: Date }>();
  /** The platform hands out nothing before this. */
  held: Promise<void> = Promise.resolve();
  /** References in the order in which they were fetched. */
  readonly fetched: string[] = [];
  /** Recordings in the order in which they were transcribed, as texts. */
  readonly heard: string[] = [];
  /** What the platform shows to the person, in its order: texts, and files with their names. */
  readonly shown: string[] = [];
  readonly runtime: MemoryRuntime;
  transcribe: ((text: string) => Promise<string>) | undefined = async (text) => text;
  sendFile: ChannelApi["sendFile"] = async (file) => this.#showFile(file);
  attempts: MemoryAttempts;
  readonly #db: Db;
  readonly at: LinkedChannel;
  #number = 0;

  static async open(
    db: Db,
    options: { files?: Record<string, string>; limits?: Partial<Record<AttemptRule, number>> } = {},
  ): Promise<MediaWorld> {
    return new MediaWorld(db, await newLinkedChannel(db), options);
  }

  private constructor(
    db: Db,
    at: MediaWorld["at"],
    { files = {}, limits = {} }: NonNullable<Parameters<typeof MediaWorld.open>[1]>,
  ) {
    this.#db = db;
    this.at = at;
    this.runtime = new MemoryRuntime(files);
    this.attempts = new MemoryAttempts(limits);
  }

  get deps(): ConversationDeps & InboxDeps {
    const api: ChannelApi = {
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
      send: async ({ text }) => {
        this.shown.push(text.plain);
        return { messageId: String(this.shown.length) };
      },
      download: async ({ reference }) => this.#handOut(reference),
      ...(this.sendFile && { sendFile: this.sendFile }),
    };
    const { transcribe } = this;
    return partOf({
      ...CONVERSATION_PARTS,
      db: this.#db,
      log: { ...createLog(), warn: () => {}, error: () => {} },
      taskLogs: new MemoryTaskLogs(queue).through((act) => act()),
      queue,
      channels: { telegram: { ...adapters.telegram, api: () => api } },
      deliveryStream: {
        append: async () => {},
        bury: async () => {},
      },
      mediaCache: {
        get: async (key: string) => this.cache.get(key),
        put: async (key: string, media: CachedMedia) => {
          this.cache.set(key, { ...media, storedAt: new Date() });
        },
        delete: async (keys: readonly string[]) => keys.forEach((key) => this.cache.delete(key)),
        async *list() {},
      },
      transcription: transcribe && {
        transcribe: async ({ bytes }: CachedMedia) => {
          const text = new TextDecoder().decode(bytes);
          this.heard.push(text);
          return transcribe(text);
        },
      },
      attempts: this.attempts,
      workspaces: { runtime: () => partOf<ProjectRuntime>(this.runtime) },
    });
  }

  /** A file that the platform has. */
  has(content: Handed | string, media: Partial<MediaReference> = {}): MediaReference {
    const reference = `file-${(this.#number += 1)}`;
    const bytes = typeof content === "string" ? Uint8Array.from(new TextEncoder().encode(content)) : content;
    this.files.set(reference, bytes);
    return { kind: "voice", reference, mimeType: undefined, filename: undefined, size: undefined, ...media };
  }

  /** A person's message arrives. */
  async receive(text: string, media: ReceivedMessage["media"] = []): Promise<void> {
    const { channel, senderId } = this.at;
    this.#number += 1;
    const message = privateMessage(senderId, this.#number, { text, media });
    await receiveEvents(this.deps, channel, [message]);
  }

  async advance(deps = this.deps): ReturnType<typeof advanceSession> {
    const { channel, senderId } = this.at;
    const key = { channelId: channel.id, sessionKey: `telegram:dm:${senderId}`, senderId };
    return advanceSession(deps, key);
  }

  /** A message arrives and is handled. */
  async say(text: string, media: ReceivedMessage["media"] = []): Promise<void> {
    await this.receive(text, media);
    await this.advance();
  }

  /** The tasks of the person, with the attachments of their messages. */
  async tasks() {
    return this.#db
      .select({ ...getTableColumns(tasks), metadata: messages.messageMetadata })
      .from(tasks)
      .innerJoin(messages, eq(messages.taskId, tasks.id))
      .where(eq(tasks.userId, this.at.userId))
      .orderBy(tasks.id);
  }

  /** Rows of the channel's messages, oldest first. */
  async rows() {
    return this.#db
      .select()
      .from(channelMessages)
      .where(eq(channelMessages.channelConfigId, this.at.channel.id))
      .orderBy(channelMessages.id);
  }

  /** Ends a task with this answer. */
  async finish(taskId: string, response: string): Promise<void> {
    const over = { status: "completed", response, completedAt: new Date() } as const;
    await this.#db.update(tasks).set(over).where(eq(tasks.id, taskId));
    await this.#db
      .update(chats)
      .set({ unfinishedTasks: sql`array_remove(${chats.unfinishedTasks}, ${taskId}::uuid)` })
      .where(eq(chats.userId, this.at.userId));
  }

  async #handOut(reference: string): Promise<CachedMedia> {
    this.fetched.push(reference);
    await this.held;
    const handed = this.files.get(reference);
    if (handed instanceof PlatformFailure) throw handed;
    if (!handed) throw new PlatformFailure("refused", "The platform has no such file.");
    return { bytes: handed, mimeType: "application/octet-stream" };
  }

  #showFile({ filename, mimeType, bytes }: OutgoingFile): { messageId: string } {
    this.shown.push(`${filename} (${mimeType}): ${new TextDecoder().decode(bytes)}`);
    return { messageId: String(this.shown.length) };
  }
}

/** `crypto.DigestStream` of workerd, for code that runs there. */
export class DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>;

  constructor(algorithm: string) {
    const parts: Uint8Array[] = [];
    const digest = Promise.withResolvers<ArrayBuffer>();
    super({
      write: (part) => void parts.push(part.slice()),
      close: () => digest.resolve(crypto.subtle.digest(algorithm, Buffer.concat(parts))),
    });
    this.digest = digest.promise;
  }
}
