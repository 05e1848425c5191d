import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { PLATFORMS } from "../../channels/channel.ts";
import { users } from "./accounts.ts";
import { agents } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { tasks } from "./tasks.ts";

/** A person's connection to a messaging platform: a bot or a number, and the project its messages are about. */
export const channelConfigs = pgTable(
  "channel_configs",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Project of the channel's messages; null for the default workspace of each sender. */
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
    gatewayShard: integer().notNull().default(0),
    /** Whom the platform says the bot is; null until it was asked. */
    botId: text(),
    botName: text(),
    /** The last failure at the platform, as a sentence for the owner; null after a success. */
    lastError: text(),
    /** False once deleted: the row stays, because messages refer to it. */
    isActive: boolean().notNull().default(true),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    index("channel_configs_user").on(table.userId, table.createdAt),
    index("channel_configs_project").on(table.projectId),
    index("channel_configs_agent").on(table.defaultAgentId),
    index("channel_configs_shard")
      .on(table.gatewayShard)
      .where(sql`${table.isActive}`),
  ],
);

/**
 * A person on a platform. Unverified rows wait for their pairing code; a verified one acts as its user. Of Slack the id has
 * the workspace before the user, `T1:U1`.
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
    channelConfigId: uuid().references(() => channelConfigs.id, { onDelete: "set null" }),
    pairedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("platform_identities_sender_unique").on(table.platform, table.platformUserId),
    uniqueIndex("platform_identities_code_unique").on(table.codeHash),
    index("platform_identities_user").on(table.userId),
    index("platform_identities_channel").on(table.channelConfigId, table.pairingExpiresAt),
  ],
);

/** Messages of a channel, in both directions. */
export const channelMessages = pgTable(
  "channel_messages",
  {
    id: id(),
    channelConfigId: uuid()
      .notNull()
      .references(() => channelConfigs.id, { onDelete: "cascade" }),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    /** `<platform>:<chat id>`. */
    jid: text().notNull(),
    senderName: text(),
    content: text().notNull(),
    /** Null until the platform has taken an outbound message. */
    platformMessageId: text(),
    taskId: uuid().references(() => tasks.id, { onDelete: "set null" }),
    status: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
    /** Why it failed, as a sentence. */
    error: text(),
    createdAt: createdAt(),
  },
  (table) => [
    // A redelivered message finds its own row.
    uniqueIndex("channel_messages_platform_unique").on(
      table.channelConfigId,
      table.direction,
      table.platformMessageId,
    ),
    index("channel_messages_page").on(table.channelConfigId, table.createdAt, table.id),
    index("channel_messages_task").on(table.taskId),
  ],
);
