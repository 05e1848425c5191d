import { sql } from "drizzle-orm";
import {
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
import type { Platform } from "../../channels/channel.ts";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { agents, chats, EDIT_MODES } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";

/** Where a task came from, and where its questions and its reply go. */
export type StoredSource =
  | { kind: "api" | "browser" | "standalone" }
  | {
      kind: "channel";
      platform: Platform;
      /** The session that gets the questions and the reply. */
      sessionId: string;
      /** The platform's id of the message. */
      messageId?: string | undefined;
      /** The message that the reply names, where others write, too. */
      replyTo?: string | undefined;
      /** Where the platform wants the reply, if it says so with the message. */
      replyTarget?: string | undefined;
    }
  | {
      kind: "schedule";
      scheduleId: string;
      runId: string;
      /** The session in which the schedule's owner is asked. */
      sessionId?: string | undefined;
    };

/** One run of an agent. Terminal states (`completed`, `failed`, `cancelled`) never change. */
export const tasks = pgTable(
  "tasks",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    chatId: uuid()
      .notNull()
      .references(() => chats.id, { onDelete: "cascade" }),
    agentId: uuid()
      .notNull()
      .references(() => agents.id),
    /** Key that started the task; null if a person did. */
    apiKeyId: uuid().references(() => externalApiKeys.id, { onDelete: "set null" }),
    /** Permissions of the starting key at that time; null grants all. */
    scopes: text().array(),
    /** The source's kind, of a channel the platform. */
    origin: text().notNull(),
    source: jsonb().$type<StoredSource>().notNull(),
    message: text().notNull(),
    /** Sequence number of the message in its chat. */
    seq: integer().notNull().default(0),
    /** Requested model id, or the chat's; null for the agent's model. */
    model: text(),
    editMode: text({ enum: EDIT_MODES }).notNull().default("allow"),
    /** Most turns of the task; null for the service's own limit. */
    maxIterations: integer(),
    /** Compaction of the oldest turns that the model receives instead of them; see src/agent. */
    compaction: jsonb().$type<Record<string, unknown>>(),
    status: text({ enum: ["queued", "running", "completed", "failed", "cancelled"] }).notNull(),
    /** Highest generation of an executor that has written the row; fences writes of older ones. */
    generation: integer().notNull().default(0),
    response: text(),
    iterations: integer().notNull().default(0),
    toolCalls: integer().notNull().default(0),
    completionReason: text(),
    error: text(),
    webhookUrl: text(),
    callbackStatus: text({ enum: ["none", "pending", "delivered", "failed"] })
      .notNull()
      .default("none"),
    createdAt: createdAt(),
    startedAt: at(),
    completedAt: at(),
  },
  (table) => [
    index("tasks_user_created").on(table.userId, table.createdAt),
    // Lists and counts of a person's tasks read this index alone.
    index("tasks_listed").on(table.userId, table.projectId, table.status, table.createdAt, table.id),
    index("tasks_project_begun").on(table.projectId, table.userId, table.startedAt),
    index("tasks_agent").on(table.agentId),
    index("tasks_chat_seq").on(table.chatId, table.seq),
    index("tasks_status_created").on(table.status, table.createdAt),
    index("tasks_api_key_status").on(table.apiKeyId, table.status),
    index("tasks_unfinished_user")
      .on(table.userId)
      .where(sql`${table.status} IN ('queued', 'running')`),
    index("tasks_unfinished_project")
      .on(table.projectId)
      .where(sql`${table.status} IN ('queued', 'running')`),
  ],
);

/** One row per turn of the agent loop: the model's output, the tool calls and their results. */
export const taskTurns = pgTable(
  "task_steps",
  {
    id: id(),
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    /** From 1, without gaps. */
    turnIndex: integer("step_index").notNull(),
    turnData: jsonb("step_data").$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("task_steps_task_index_unique").on(table.taskId, table.turnIndex)],
);

/** What a task's person was told of it by mail: each event once, and so many in an hour. */
export const taskMails = pgTable(
  "task_mails",
  {
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    event: text({ enum: ["completed", "failed", "asks"] }).notNull(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.taskId, table.event] }),
    index("task_mails_user_created").on(table.userId, table.createdAt),
  ],
);

/** The outcome of each attempt to deliver a task's callback. */
export const callbackAttempts = pgTable(
  "callback_attempts",
  {
    id: id(),
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    /** From 1. */
    attempt: integer().notNull(),
    delivered: boolean().notNull(),
    /** HTTP status of the receiver's response; null without a response. */
    statusCode: integer(),
    error: text(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("callback_attempts_task_attempt_unique").on(table.taskId, table.attempt)],
);

/**
 * Approvals of dangerous calls. The task waits, without an executor, until an approval is answered or expires, or the
 * task is cancelled.
 */
export const approvals = pgTable(
  "approvals",
  {
    id: id(),
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    /** Turn and call that wait for the approval. */
    iteration: integer().notNull(),
    callId: text().notNull(),
    /** 0: may the call run? From 1: questions that its MCP server asks the task's person, who alone answers them. */
    question: integer().notNull().default(0),
    tool: text().notNull(),
    /** What an answer for the whole chat allows; null for the tool by its name. */
    allowance: text(),
    /** The call's complete arguments, at most 64 KiB as the model wrote them, with placeholders for stored secrets. */
    parameters: jsonb().$type<Record<string, unknown>>().notNull(),
    /** What a server asks; null where the call itself is asked about. */
    asked: jsonb().$type<AskedInput>(),
    /** The answers to a server's form, if it was accepted: until the task ends. */
    encryptedAnswers: text(),
    /** `accept`, `decline` and `cancel` answer servers. `stop_because` is a denial whose reason was given with it: unlike one by a message, it leaves the task's work open. */
    response: text({
      enum: ["allow_once", "allow_all", "stop", "stop_because", "accept", "decline", "cancel"],
    }),
    /** Beginning of the message that denied the approval, or the reason of `stop_because`; null otherwise. */
    reason: text(),
    /** Null if the approval expired. */
    answeredBy: uuid().references(() => users.id, { onDelete: "set null" }),
    answeredAt: at(),
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("approvals_task_call_unique").on(table.taskId, table.iteration, table.callId, table.question),
    index("approvals_answered_by").on(table.answeredBy),
    index("approvals_answered")
      .on(table.answeredAt)
      .where(sql`${table.response} IS NOT NULL`),
    index("approvals_open")
      .on(table.expiresAt)
      .where(sql`${table.response} IS NULL`),
  ],
);

/** One row per model call: the provider's token counts, and the cost. Costs and credits are US cents. */
export const usageLogs = pgTable(
  "usage_logs",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** The team that pays. */
    teamId: uuid().references(() => teams.id, { onDelete: "set null" }),
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    taskId: uuid().references(() => tasks.id, { onDelete: "set null" }),
    /**
     * Number of the call within its task and purpose, for turns the turn's number, so that a repeated statement inserts
     * nothing.
     */
    iteration: integer().notNull(),
    /** Purpose of the call. */
    purpose: text({ enum: ["agent", "compaction", "title", "proxy"] })
      .notNull()
      .default("agent"),
    provider: text().notNull(),
    model: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cachedInputTokens: integer().notNull(),
    cacheWriteTokens: integer().notNull(),
    costInput: integer().notNull().default(0),
    costOutput: integer().notNull().default(0),
    costTotal: integer().notNull().default(0),
    creditsDeducted: integer().notNull().default(0),
    /** Whether the call ran on the user's own key. */
    isByok: boolean().notNull().default(false),
    /** `credited` if credits paid for the call, `exempt` for calls on own keys, `pending` otherwise. */
    billedStatus: text({ enum: ["pending", "credited", "exempt", "invoiced", "paid"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("usage_logs_call_unique").on(table.taskId, table.iteration, table.purpose),
    index("usage_logs_user_created").on(table.userId, table.createdAt),
    index("usage_logs_team_created").on(table.teamId, table.createdAt),
    index("usage_logs_project").on(table.projectId),
    index("usage_logs_agent").on(table.agentId),
  ],
);
