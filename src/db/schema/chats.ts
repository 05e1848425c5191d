import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";

/** What an agent may do without approval, the one that allows least first; see the tools' `dangerous` mark. */
export const EDIT_MODES = ["plan", "ask", "allow"] as const;

/** How an agent or a template is paid for. */
export const PRICING_TYPES = ["free", "one_time", "monthly"] as const;

/**
 * Agents: a prompt, tools and a model. Agents without a team are the service's own; those that are free are open to all,
 * the others are bought. Published agents are listed in the marketplace, with the columns from `long_description` on.
 */
export const agents = pgTable(
  "agents",
  {
    id: id(),
    /** Team whose members use it; null for the service's own agents. */
    teamId: uuid().references(() => teams.id, { onDelete: "cascade" }),
    slug: text().notNull(),
    name: text().notNull(),
    description: text().notNull().default(""),
    /** Appended to the service's own system prompt. */
    systemPrompt: text().notNull().default(""),
    /** Model id, e.g. `builtin/<name>` or `<provider>/<name>`; null uses the platform's default. */
    model: text(),
    /** Names of the agent's tools; null for all. */
    tools: text().array(),
    /** False once deleted: the row stays, because tasks and chats refer to it. */
    isActive: boolean().notNull().default(true),
    createdBy: uuid().references(() => users.id, { onDelete: "set null" }),
    createdAt: createdAt(),
    updatedAt: at(),
    longDescription: text(),
    category: text().notNull().default("custom"),
    /** `stream` or `agent`, and the name of a kind of agent, for clients that tell them apart; the service does not. */
    mode: text().notNull().default("stream"),
    agentType: text().notNull().default("StreamAgent"),
    icon: text(),
    avatarUrl: text(),
    tags: text().array().notNull().default([]),
    features: text().array().notNull().default([]),
    /** Settings that clients keep with the agent. */
    config: jsonb().$type<Record<string, unknown>>(),
    /** By tool: a description and examples of its use. */
    toolConfigs: jsonb().$type<Record<string, unknown>>(),
    /** The agent that this one was forked from. */
    parentAgentId: uuid(),
    /** Prompt, tools and settings of a closed agent are shown to its own team alone. */
    sourceType: text({ enum: ["open", "closed"] })
      .notNull()
      .default("open"),
    isForkable: boolean().notNull().default(true),
    pricingType: text({ enum: PRICING_TYPES }).notNull().default("free"),
    /** Cents, once or per month. */
    priceCents: integer().notNull().default(0),
    isPublished: boolean().notNull().default(false),
    publishedAt: at(),
    isFeatured: boolean().notNull().default(false),
    /** Teams that took it. */
    downloads: integer().notNull().default(0),
    /** Of its reviews. */
    ratingSum: integer().notNull().default(0),
    reviewsCount: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("agents_slug_unique")
      .on(sql`coalesce(${table.teamId}, '00000000-0000-0000-0000-000000000000'::uuid)`, table.slug)
      .where(sql`${table.isActive}`),
    // The marketplace names an agent by its slug alone.
    uniqueIndex("agents_listed_slug_unique")
      .on(table.slug)
      .where(sql`${table.isActive} AND (${table.isPublished} OR ${table.teamId} IS NULL)`),
    index("agents_search")
      .using(
        "gin",
        sql`search_text(ARRAY[${table.name}, ${table.description}] || ${table.tags}) gin_trgm_ops`,
      )
      .where(sql`${table.isActive} AND ${table.isPublished}`),
    index("agents_team").on(table.teamId),
    index("agents_created_by").on(table.createdBy),
    index("agents_parent").on(table.parentAgentId),
  ],
);

/** The model that a person chose for one of the service's own agents. */
export const agentModels = pgTable(
  "agent_models",
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    agentId: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    model: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.agentId] }),
    index("agent_models_agent").on(table.agentId),
  ],
);

/** A conversation about one project. One task runs in it at a time. */
export const chats = pgTable(
  "chats",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    title: text(),
    /** Where the chat began: `browser`, `standalone`, `api` or a platform's name, `schedule`. */
    origin: text().notNull(),
    /** Stores only whether the chat is archived; its further state follows from its tasks. */
    status: text({ enum: ["active", "archived"] })
      .notNull()
      .default("active"),
    /** Agent and model of messages that name none; null for the default agent and the agent's model. */
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    model: text(),
    editMode: text({ enum: EDIT_MODES }),
    /** Whether the people of the project see the chat, and its editors write in it; see docs/security.md. */
    isShared: boolean().notNull().default(false),
    /**
     * Dangerous tools that a person allowed for the whole chat; emptied when the chat is cleared. The bare names count for the
     * owner's tasks alone. `<user id>:<name>` counts for the tasks of another person in a shared chat.
     */
    allowedTools: text().array().notNull().default([]),
    /** Whether the chat has a title, set by a person or by the agent after the first answer. */
    isTitled: boolean().notNull().default(false),
    /** Summary that the model receives in place of the messages up to the sequence number `summarized_seq`. */
    summary: text(),
    summarizedSeq: integer(),
    /** Sequence number of the newest message; the next one is assigned under the row's lock. */
    lastSeq: integer().notNull().default(0),
    /** Unfinished tasks, by sequence number. The first has the chat's turn; see decision 30. */
    unfinishedTasks: uuid().array().notNull().default([]),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    index("chats_project").on(table.projectId),
    index("chats_user_project").on(table.userId, table.projectId),
    index("chats_agent").on(table.agentId),
    index("chats_shared")
      .on(table.projectId)
      .where(sql`${table.isShared}`),
  ],
);

/**
 * Files sent with messages. The content is in the project. Rows without a message are deleted after a day, with their
 * files.
 */
export const chatAttachments = pgTable(
  "chat_attachments",
  {
    id: id(),
    chatId: uuid()
      .notNull()
      .references(() => chats.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Path in the project: `.chat/<chat>/uploads/<sha256>-<name>`. */
    filePath: text().notNull(),
    filename: text().notNull(),
    mimeType: text().notNull(),
    sizeBytes: bigint({ mode: "number" }).notNull(),
    sha256: text().notNull(),
    /** The message to which it is attached; null until it is sent. */
    messageId: uuid().references(() => messages.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    index("chat_attachments_chat").on(table.chatId),
    index("chat_attachments_user").on(table.userId),
    index("chat_attachments_message").on(table.messageId),
    index("chat_attachments_unbound")
      .on(table.createdAt)
      .where(sql`${table.messageId} IS NULL`),
  ],
);

/** Messages of people and agents in a chat, in the order of `seq`. */
export const messages = pgTable(
  "messages",
  {
    id: id(),
    chatId: uuid()
      .notNull()
      .references(() => chats.id, { onDelete: "cascade" }),
    /** Sequence number in the chat, from 1. An answer has the number of its question. */
    seq: integer().notNull().default(0),
    role: text({ enum: ["user", "assistant"] }).notNull(),
    content: text().notNull(),
    messageMetadata: jsonb().$type<Record<string, unknown>>(),
    /** The task that the message started, or whose answer it is. */
    taskId: uuid(),
    createdAt: createdAt(),
  },
  (table) => [
    index("messages_chat_seq").on(table.chatId, table.seq),
    uniqueIndex("messages_task_role_unique").on(table.taskId, table.role),
  ],
);
