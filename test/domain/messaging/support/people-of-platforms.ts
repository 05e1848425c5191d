import { and, eq, sql } from "drizzle-orm";
import type { ChannelApi, OutgoingText, Platform, SentMessage } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import type { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  agents,
  channelConfigs,
  channelSessions,
  chats,
  messages,
  platformIdentities,
  tasks,
} from "#src/db/schema/index.ts";
import type { SendDeps } from "#src/domain/messaging/agent-messages/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { newColleague, newProject, type Colleague } from "#test/support/colleagues.ts";
import { outside } from "#test/support/mortal.ts";
import { partOf } from "#test/support/part-of.ts";

type Home = Pick<
  typeof platformIdentities.$inferInsert,
  "homeChannelConfigId" | "homeChatId" | "homeThreadId"
>;

/** Makes the rows of channels and of those who write to them. */
export class PlatformRows {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async person(): Promise<Colleague & { projectId: string }> {
    const colleague = await newColleague(this.#db);
    return { ...colleague, projectId: await this.project(colleague) };
  }

  async project(colleague: Colleague): Promise<string> {
    return (await newProject(this.#db, colleague)).id;
  }

  /** Makes a person an editor of the project's team, and so of the project. Returns the person as one who works there. */
  async join({ id }: { id: string }, projectId: string): Promise<{ id: string; projectId: string }> {
    await this.#db.execute(sql`INSERT INTO team_memberships (team_id, user_id, role)
      SELECT team_id, ${id}::uuid, 'editor' FROM projects WHERE id = ${projectId}::uuid ON CONFLICT DO NOTHING`);
    return { id, projectId };
  }

  async channel(
    { id: userId }: { id: string },
    values: Partial<typeof channelConfigs.$inferInsert> = {},
  ): Promise<typeof channelConfigs.$inferSelect> {
    const [channel] = await this.#db
      .insert(channelConfigs)
      .values({
        id: newId(),
        userId,
        channelType: "telegram",
        name: "Bot",
        encryptedCredentials: "{}",
        encryptedWebhookSecret: "secret",
        ...values,
      })
      .returning();
    if (!channel) throw new Error("The channel was not stored");
    return channel;
  }

  /** Links the person in one channel, or in all own ones of the platform. Returns the person's id on the platform. */
  async identity(
    { id: userId }: { id: string },
    { home, ...values }: Partial<typeof platformIdentities.$inferInsert> & { home?: Home } = {},
  ): Promise<string> {
    const { platform = "telegram", platformUserId = newId().slice(-12), channelConfigId } = values;
    const channels = await this.#db
      .select({ id: channelConfigs.id })
      .from(channelConfigs)
      .where(
        channelConfigId === undefined
          ? and(eq(channelConfigs.userId, userId), eq(channelConfigs.channelType, platform))
          : eq(channelConfigs.id, channelConfigId),
      );
    for (const { id } of channels) {
      await this.#db.insert(platformIdentities).values({
        id: newId(),
        userId,
        platform,
        isVerified: true,
        pairedAt: new Date(),
        ...values,
        channelConfigId: id,
        platformUserId,
        ...(home?.homeChannelConfigId === id && home),
      });
    }
    return platformUserId;
  }

  /** Returns the id of the session. */
  async session(
    { id: userId }: { id: string },
    channel: { id: string; channelType: Platform },
    values: { chatId: string } & Partial<{
      chatType: "dm" | "group";
      threadId: string;
      senderId: string;
      agentChat: string;
      lastActiveAt: Date;
    }>,
  ): Promise<string> {
    const { chatId, chatType = "dm", threadId, senderId = chatId } = values;
    const id = newId();
    const [link] = await this.#db
      .select({ id: platformIdentities.id })
      .from(platformIdentities)
      .where(and(eq(platformIdentities.channelConfigId, channel.id), eq(platformIdentities.userId, userId)));
    await this.#db.insert(channelSessions).values({
      id,
      identityId: link?.id ?? null,
      channelConfigId: channel.id,
      sessionKey: sessionKeyOf(channel.channelType, { chatId, chatType, threadId }),
      userId,
      platformChatId: chatId,
      platformChatType: chatType,
      platformThreadId: threadId ?? null,
      senderId,
      senderName: "Person",
      chatId: values.agentChat ?? null,
      lastActiveAt: values.lastActiveAt ?? new Date(),
    });
    return id;
  }

  /** A chat with the agent. `said` are its messages, of the person and the agent in turn. */
  async chat(
    { id: userId, projectId }: { id: string; projectId: string },
    said: readonly string[] = [],
    status: "active" | "archived" = "active",
  ): Promise<string> {
    const id = newId();
    await this.#db.insert(chats).values({ id, userId, projectId, origin: "telegram", status });
    const rows = said.map((content, index) => {
      const role = index % 2 === 0 ? ("user" as const) : ("assistant" as const);
      return { id: newId(), chatId: id, seq: Math.floor(index / 2) + 1, role, content };
    });
    if (rows.length > 0) await this.#db.insert(messages).values(rows);
    return id;
  }

  /** A running task; `sessionId` is the session that its message came from. */
  async task(
    person: { id: string; projectId: string },
    { sessionId, replyTo, apiKeyId }: { sessionId?: string; replyTo?: string; apiKeyId?: string } = {},
  ): Promise<{ id: string; userId: string; projectId: string; apiKeyId: string | null }> {
    const [agent] = await this.#db.select().from(agents).limit(1);
    const [id, chatId] = [newId(), await this.chat(person)];
    const { id: userId, projectId } = person;
    const task = { id, chatId, projectId, userId, agentId: agent?.id ?? "", apiKeyId: apiKeyId ?? null };
    const source =
      sessionId === undefined
        ? ({ kind: "api" } as const)
        : ({ kind: "channel", platform: "telegram", sessionId, replyTo } as const);
    await this.#db
      .insert(tasks)
      .values({ ...task, status: "running", origin: "telegram", source, message: "Hello" });
    const message = { id: newId(), chatId, taskId: id, role: "user", content: "Hello" } as const;
    await this.#db.insert(messages).values(message);
    return { id, userId, projectId, apiKeyId: apiKeyId ?? null };
  }
}

/** A channel about a project, and its owner, who is linked there. */
export async function newLinkedChannel(db: Db) {
  const rows = new PlatformRows(db);
  const { id: userId, projectId } = await rows.person();
  const channel = await rows.channel({ id: userId }, { projectId });
  const senderId = await rows.identity({ id: userId }, { channelConfigId: channel.id });
  return { channel, senderId, userId };
}

export type LinkedChannel = Awaited<ReturnType<typeof newLinkedChannel>>;

/** A platform that takes everything, or fails as it is told. */
export class ListeningPlatform {
  readonly sent: OutgoingText[] = [];
  /** Whom private chats were opened with. */
  readonly opened: string[] = [];
  readonly published: QueueMessage[] = [];
  failure: PlatformFailure | undefined;
  /** What it answers to a text that it has taken. */
  answer = async (number: number): Promise<SentMessage> => ({ messageId: `m${number}` });

  api(): ChannelApi {
    return {
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (userId) => {
        this.opened.push(userId);
        return { chatId: `dm-${userId}`, chatType: "dm", threadId: undefined };
      },
      sendFile: async () => ({ messageId: "f1" }),
      send: async (message) => {
        if (this.failure) throw this.failure;
        const number = this.sent.push(message);
        return outside(() => this.answer(number));
      },
    };
  }

  deps(db: Db): SendDeps & { rateLimits: { take(): Promise<undefined> } } {
    const api = () => this.api();
    const runtime = new MemoryRuntime({ "out/plan.pdf": "A plan", "beds.csv": "bed,sun" });
    return partOf({
      db,
      log: { ...createLog(), warn: () => {}, error: () => {} },
      queue: { publish: async (message: QueueMessage) => void this.published.push(message) },
      channels: {
        telegram: { ...adapters.telegram, api },
        slack: { ...adapters.slack, api },
        whatsapp: { ...adapters.whatsapp, api },
        cli: { ...adapters.cli, api },
      },
      apiEnvironment: {},
      channelSecrets: { decrypt: async (text: string) => text },
      deliveryStream: {
        append: () => Promise.reject(new Error("There is no Redis")),
        bury: async () => {},
      },
      workspaces: { runtime: () => partOf<ProjectRuntime>(runtime) },
      rateLimits: { take: async () => undefined },
      patienceMs: HANGS_MS,
    });
  }
}
