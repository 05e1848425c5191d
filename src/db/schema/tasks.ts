import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { agents, chats } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

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
    /** Key that asked for the task; null when a person did. */
    apiKeyId: uuid().references(() => externalApiKeys.id, { onDelete: "set null" }),
    /** Permissions of the asking key at that time; null grants all. */
    scopes: text().array(),
    origin: text().notNull(),
    message: text().notNull(),
    status: text({ enum: ["queued", "running", "completed", "failed", "cancelled"] }).notNull(),
    /** Highest generation of executor that has touched the row; an older one writes nothing any more. */
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
    index("tasks_chat_created").on(table.chatId, table.createdAt),
    index("tasks_status_created").on(table.status, table.createdAt),
    index("tasks_api_key_status").on(table.apiKeyId, table.status),
    index("tasks_callback_pending")
      .on(table.completedAt)
      .where(sql`${table.callbackStatus} = 'pending'`),
  ],
);

/** One row per turn of the agent loop: what the model said, which tools it called, what they answered. */
export const taskSteps = pgTable(
  "task_steps",
  {
    id: id(),
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    /** From 1, without gaps. */
    stepIndex: integer().notNull(),
    stepData: jsonb().$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("task_steps_task_index_unique").on(table.taskId, table.stepIndex)],
);

/** What became of each attempt to deliver a task's callback. */
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
    /** Status the receiver answered with; null when there was no answer. */
    statusCode: integer(),
    error: text(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("callback_attempts_task_attempt_unique").on(table.taskId, table.attempt)],
);

/** One row per model call: tokens as the provider counted them. */
export const usageLogs = pgTable(
  "usage_logs",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    taskId: uuid().references(() => tasks.id, { onDelete: "set null" }),
    /** Turn of the task the call belongs to; with the task id it makes a repeated checkpoint harmless. */
    iteration: integer().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cachedInputTokens: integer().notNull(),
    cacheWriteTokens: integer().notNull(),
    isByok: boolean().notNull().default(false),
    billedStatus: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("usage_logs_task_iteration_unique").on(table.taskId, table.iteration),
    index("usage_logs_user_created").on(table.userId, table.createdAt),
  ],
);
