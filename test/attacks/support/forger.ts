import { and, eq } from "drizzle-orm";
import { type ChannelApi, type Platform, PLATFORMS, type ReceivedEvent } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { approvals, platformIdentities, tasks } from "#src/db/schema/index.ts";
import { advanceSession, type ConversationDeps } from "#src/domain/conversations/sessions/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { receiveEvents, sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import { PlatformRows } from "#test/domain/messaging/support/people-of-platforms.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { partOf } from "#test/support/part-of.ts";

/** How an event names its sender. */
export const CLAIMS = {
  "the sender's id": (victim: string) => ({ id: victim, alternateId: undefined }),
  "another id of the sender": (victim: string) => ({ id: newId().slice(-12), alternateId: victim }),
} as const;
export type Claim = keyof typeof CLAIMS;

type InboxDeps = Parameters<typeof receiveEvents>[0];

const publish = async () => {};

/**
 * The owner of a channel who says that somebody else writes there: what a platform signs is what the owner can sign, too. The
 * rows and the service's own code are real; the platforms take everything.
 */
export class Forger {
  readonly rows: PlatformRows;
  /** Texts that the platforms were sent, with their chats. */
  readonly sent: { chatId: string; text: string }[] = [];
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.rows = new PlatformRows(db);
  }

  get deps(): ConversationDeps & InboxDeps {
    const queue = { publish, publishBatch: publish, ensureSchedule: publish, answers: async () => true };
    const api: ChannelApi = {
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
      send: async ({ place, text }) => {
        this.sent.push({ chatId: place.chatId, text: text.plain });
        return { messageId: String(this.sent.length) };
      },
    };
    return partOf({
      db: this.#db,
      log: { ...createLog(), warn: () => {}, error: () => {} },
      taskLogs: new MemoryTaskLogs(queue).through((act) => act()),
      queue,
      rateLimits: NO_EVENT_LIMITS,
      channels: Object.fromEntries(PLATFORMS.map((each) => [each, { ...adapters[each], api: () => api }])),
      apiEnvironment: {},
      channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
      deliveryStream: {
        append: () => Promise.reject(new Error("There is no Redis")),
        bury: async () => {},
      },
      config: {
        DEFAULT_MODEL: "demo",
        ...NO_AGENT_LIMITS,
        GATEWAY_SESSION_IDLE_MINUTES: 60,
        GATEWAY_PAIRING_CODE_TTL: 3600,
        GATEWAY_PAIRING_MAX_PENDING: 1000,
        GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 0,
        PUBLIC_URL: "https://service.test",
      },
      modelSettings: { platformModels: ["demo"] },
    });
  }

  /** A person with a project, who is linked in a channel of their own. */
  async victim(platform: Platform) {
    const person = await this.rows.person();
    const channel = await this.rows.channel(person, { channelType: platform, projectId: person.projectId });
    const senderId = platform === "cli" ? person.id : newId().slice(-12);
    const linked = { platform, platformUserId: senderId, channelConfigId: channel.id };
    if (platform !== "cli") await this.rows.identity(person, linked);
    return { ...person, platform, channel, senderId };
  }

  /** Has an event arrive in a channel and handled; returns what the platforms were sent for it. */
  async receive(
    channel: Channel,
    sender: { id: string; alternateId: string | undefined },
    said: { text: string } | { data: string },
    chatId = sender.id,
  ): Promise<string[]> {
    const before = this.sent.length;
    const place = { chatId, chatType: "dm", threadId: undefined } as const;
    const common = { id: newId(), place, sender: { ...sender, name: "Claimed" } };
    const event: ReceivedEvent =
      "data" in said
        ? { ...common, kind: "click", data: said.data, messageId: "1", confirmation: undefined }
        : {
            ...common,
            kind: "message",
            messageId: common.id,
            replyTarget: undefined,
            text: said.text,
            isAddressed: true,
            media: [],
            replyTo: undefined,
            sentAt: undefined,
          };
    await receiveEvents(this.deps, channel, [event]);
    await advanceSession(this.deps, {
      channelId: channel.id,
      sessionKey: sessionKeyOf(channel.channelType, place),
      senderId: sender.id,
    });
    return this.sent.slice(before).map(({ text }) => text);
  }

  tasksOf({ id }: { id: string }) {
    return this.#db.select().from(tasks).where(eq(tasks.userId, id)).orderBy(tasks.id);
  }

  async homesOf({ id }: { id: string }): Promise<(string | null)[]> {
    const links = await this.#db.select().from(platformIdentities).where(eq(platformIdentities.userId, id));
    return links.map(({ homeChatId }) => homeChatId).filter((chatId) => chatId !== null);
  }

  async unlink({ id }: { id: string }, { id: channelId }: { id: string }): Promise<void> {
    await this.#db
      .delete(platformIdentities)
      .where(and(eq(platformIdentities.userId, id), eq(platformIdentities.channelConfigId, channelId)));
  }

  /** A question of a running task of the person's. */
  async question(person: { id: string; projectId: string }): Promise<string> {
    const { id: taskId } = await this.rows.task(person);
    const id = newId();
    await this.#db.insert(approvals).values({
      id,
      taskId,
      iteration: 1,
      callId: "call_1",
      tool: "bash_exec",
      parameters: { command: "rm -rf /" },
      expiresAt: new Date(Date.now() + 3_600_000),
    });
    return id;
  }

  async answerOf(approvalId: string): Promise<string | null | undefined> {
    const [row] = await this.#db.select().from(approvals).where(eq(approvals.id, approvalId));
    return row?.response;
  }
}
