import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { type Button, PLATFORMS, type ReceivedEvent } from "../../channels/channel.ts";
import { users } from "./accounts.ts";
import { agents, chats } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { tasks } from "./tasks.ts";

/** Why the service ends a channel: what its owner, or the owner's right to it, has lost. */
export const CHANNEL_LOSSES = ["project_deleted", "access_lost", "account_disabled", "handed_over"] as const;

/** A person's connection to a messaging platform: a bot or a number, and the project its messages are about. */
export const channelConfigs = pgTable(
  "channel_configs",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Project of the channel's messages; null for the owner's default workspace, and nobody else's. */
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    defaultAgentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    channelType: text({ enum: PLATFORMS }).notNull(),
    name: text().notNull(),
    /** Fernet token of a JSON object. */
    encryptedCredentials: text().notNull(),
    /** Fernet token of 64 hexadecimal digits, which are part of the webhook's address. */
    encryptedWebhookSecret: text().notNull(),
    /** Which messages of a group the channel takes. Messages of one person are always taken. */
    groupMode: text({ enum: ["mention", "all", "off"] })
      .notNull()
      .default("mention"),
    /** How messages arrive: the service connects to the platform, or the platform calls the webhook. */
    inboundMode: text({ enum: ["connection", "webhook"] })
      .notNull()
      .default("webhook"),
    /** Whether the bot shows by a reaction that it received a message. */
    hasReactions: boolean().notNull().default(true),
    gatewayShard: integer().notNull().default(0),
    /** Whom the platform said last that the bot is; null until it was asked. */
    botId: text(),
    botName: text(),
    /** Of Slack the workspace and the app that the bot token is of; null where the platform has none, or does not tell. */
    botTeamId: text(),
    botAppId: text(),
    /**
     * When the platform confirmed last, with the channel's credentials, who the bot is. Null before that, and once it names
     * another bot than before: until the owner enters credentials again, the channel takes nothing.
     */
    provedAt: at(),
    /** When the platform is asked next who the bot is; null until a day's or an administrator's plan, and once given up. */
    proveAt: at(),
    /** Since when the owner's channels of the platform that say so share the links made from then on; null for not. */
    linksSharedSince: at(),
    /** Of the connection, if the channel has one; null before the first attempt. */
    connectionState: text({ enum: ["connecting", "connected", "retrying", "stopped"] }),
    /** The last failure at the platform, as a sentence for the owner; null after a success. */
    lastError: text(),
    /** False once deleted: the row stays, because messages refer to it. */
    isActive: boolean().notNull().default(true),
    /** Why the service ended the channel; null if its owner did. */
    endedBecause: text({ enum: CHANNEL_LOSSES }),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    index("channel_configs_user").on(table.userId, table.createdAt),
    index("channel_configs_project").on(table.projectId),
    index("channel_configs_agent").on(table.defaultAgentId),
    index("channel_configs_to_prove")
      .on(table.proveAt)
      .where(sql`${table.proveAt} IS NOT NULL`),
    index("channel_configs_shard")
      .on(table.gatewayShard)
      .where(sql`${table.isActive}`),
  ],
);

/**
 * Links: a person of the service and a sender of a platform, in the channel through which the code was sent. That a message
 * comes from a sender is the word of the channel's owner, so a link counts in that channel, and in channels that share links
 * with it. Unverified rows wait for their code. Of Slack the sender's id has the workspace before the user, `T1:U1`.
 */
export const platformIdentities = pgTable(
  "platform_identities",
  {
    id: id(),
    /** The service's user; null until the code was entered. */
    userId: uuid().references(() => users.id, { onDelete: "cascade" }),
    platform: text({ enum: PLATFORMS }).notNull(),
    platformUserId: text().notNull(),
    platformUsername: text(),
    isVerified: boolean().notNull().default(false),
    /** SHA-256 of the pairing code; null once it was used. */
    codeHash: text(),
    pairingExpiresAt: at(),
    /** When the code was sent last. */
    codeSentAt: at(),
    /** The channel that the code was sent through. */
    channelConfigId: uuid()
      .notNull()
      .references(() => channelConfigs.id, { onDelete: "cascade" }),
    pairedAt: at(),
    /** The person's home chat on the platform, for messages that name only the platform; null for the private chat. */
    homeChannelConfigId: uuid().references(() => channelConfigs.id, { onDelete: "set null" }),
    homeChatId: text(),
    homeThreadId: text(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("platform_identities_link_unique").on(table.channelConfigId, table.platformUserId),
    uniqueIndex("platform_identities_code_unique").on(table.codeHash),
    index("platform_identities_user").on(table.userId),
    index("platform_identities_sender").on(table.platform, table.platformUserId),
    index("platform_identities_home").on(table.homeChannelConfigId),
  ],
);

/**
 * What platforms sent: one row per event, so that a redelivery finds its own. The events of one person in one session are
 * handled in the order of their ids. Rows are deleted after eight days, because no platform redelivers for longer.
 */
export const channelEvents = pgTable(
  "channel_events",
  {
    id: id(),
    channelConfigId: uuid()
      .notNull()
      .references(() => channelConfigs.id, { onDelete: "cascade" }),
    /** What the platform identifies the event by. */
    eventId: text().notNull(),
    /** `<platform>:<dm or group>:<chat id>[:<thread id>]`. */
    sessionKey: text().notNull(),
    /** The person, as in `platform_identities`. */
    senderId: text().notNull(),
    /** Null once the event is handled. A reply target in it is a Fernet token. */
    event: jsonb().$type<ReceivedEvent>(),
    /** The task that the event is a part of. It is chosen before the task is stored, so that a repetition finds it. */
    taskId: uuid(),
    handledAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("channel_events_platform_unique").on(table.channelConfigId, table.eventId),
    index("channel_events_open")
      .on(table.channelConfigId, table.sessionKey, table.senderId, table.id)
      .where(sql`${table.handledAt} IS NULL`),
    index("channel_events_created").on(table.createdAt),
  ],
);

/** A user's conversation at one place of a channel, and the chat that it goes on in. */
export const channelSessions = pgTable(
  "channel_sessions",
  {
    id: id(),
    channelConfigId: uuid()
      .notNull()
      .references(() => channelConfigs.id, { onDelete: "cascade" }),
    /** As in `channel_events`. */
    sessionKey: text().notNull(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    platformChatId: text().notNull(),
    platformChatType: text({ enum: ["dm", "group"] }).notNull(),
    platformThreadId: text(),
    /** The person, as in `channel_events`. */
    senderId: text().notNull(),
    senderName: text().notNull(),
    /** The link by which the person wrote here last; null once it is removed, and at the command line. */
    identityId: uuid().references(() => platformIdentities.id, { onDelete: "set null" }),
    /** Null until the next message begins a chat. */
    chatId: uuid().references(() => chats.id, { onDelete: "set null" }),
    lastActiveAt: at().notNull(),
    /** Minutes without a message after which the next one begins a new chat; null for the service's setting. */
    idleTimeoutMinutes: integer(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("channel_sessions_place_unique").on(table.channelConfigId, table.sessionKey, table.userId),
    index("channel_sessions_chat").on(table.chatId),
    index("channel_sessions_user").on(table.userId, table.lastActiveAt),
    index("channel_sessions_identity").on(table.identityId),
  ],
);

/** Messages of a channel, in both directions. Outbound ones are the outbox: a row is there before anything is sent. */
export const channelMessages = pgTable(
  "channel_messages",
  {
    id: id(),
    channelConfigId: uuid()
      .notNull()
      .references(() => channelConfigs.id, { onDelete: "cascade" }),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    kind: text({ enum: ["message", "approval_card", "artifact"] })
      .notNull()
      .default("message"),
    /** `<platform>:<chat id>`. */
    jid: text().notNull(),
    platformChatType: text({ enum: ["dm", "group"] }),
    platformThreadId: text(),
    senderName: text(),
    /** Markdown, when outbound; of a file the path in the project. */
    content: text().notNull(),
    /** Null until the platform has taken an outbound message. */
    platformMessageId: text(),
    taskId: uuid().references(() => tasks.id, { onDelete: "set null" }),
    /** Whose message an outbound one is: it is sent only while the person may be written to here. Null for strangers. */
    userId: uuid(),
    /** The link that must still count for it to be sent. No reference, because a removed link must stay in the way. */
    identityId: uuid(),
    status: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
    /** Why it failed, as a sentence. */
    error: text(),
    /** What the message is about, so that a repetition stores it once; null when inbound. */
    occasion: text(),
    /** The platform's id of the message that this one replies to. */
    replyTo: text(),
    /** Fernet token of a reply target; null once it was used. */
    replyTarget: text(),
    buttons: jsonb().$type<readonly Button[]>(),
    /** Pieces of a long text that the platform has taken. */
    piecesSent: integer().notNull().default(0),
    /** Whether the next piece may have been sent by an attempt whose outcome is not known. */
    mayBeSent: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("channel_messages_platform_unique")
      .on(table.channelConfigId, table.direction, table.platformMessageId)
      .where(sql`${table.direction} = 'inbound'`),
    uniqueIndex("channel_messages_occasion_unique").on(table.occasion),
    index("channel_messages_page").on(table.channelConfigId, table.createdAt, table.id),
    index("channel_messages_task").on(table.taskId),
    // The outbox: what is not sent yet, by place and in order.
    index("channel_messages_pending")
      .on(table.channelConfigId, table.jid, table.id)
      .where(sql`${table.status} = 'pending'`),
  ],
);
