import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { agents, chats, EDIT_MODES } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";

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
    /** Sequence number of the message in its chat. */
    seq: integer().notNull().default(0),
    /** Model id the task was asked to use, or its chat's; null for the agent's. */
    model: text(),
    editMode: text({ enum: EDIT_MODES }).notNull().default("allow"),
    /** Turns after which it ends; null leaves it to the service's own limit. */
    maxIterations: integer(),
    /** What the model is told instead of the oldest turns; see src/agent. */
    compaction: jsonb().$type<Record<string, unknown>>(),
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
    // A person's tasks are counted, and a page of them is chosen, from the index alone.
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
    index("tasks_callback_pending")
      .on(table.completedAt)
      .where(sql`${table.callbackStatus} = 'pending'`),
  ],
);

/** One row per turn of the agent loop: what the model said, which tools it called, what they answered. */
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
    /** HTTP status of the receiver's response; null when there was no answer. */
    statusCode: integer(),
    error: text(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("callback_attempts_task_attempt_unique").on(table.taskId, table.attempt)],
);

/**
 * Questions whether a dangerous call may run. The task waits, without an executor, until one of them is answered, expires or
 * the task is cancelled.
 */
export const approvals = pgTable(
  "approvals",
  {
    id: id(),
    taskId: uuid()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
    /** Turn and call that wait. */
    iteration: integer().notNull(),
    callId: text().notNull(),
    tool: text().notNull(),
    /** The call's whole arguments, at most 64 KiB as the model wrote them, with marks in place of stored secrets. */
    parameters: jsonb().$type<Record<string, unknown>>().notNull(),
    response: text({ enum: ["allow_once", "allow_all", "stop"] }),
    /** Beginning of the message that was a no to the question; null where the answer was given to it by itself. */
    reason: text(),
    /** Null when nobody answered in time. */
    answeredBy: uuid().references(() => users.id, { onDelete: "set null" }),
    answeredAt: at(),
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("approvals_task_call_unique").on(table.taskId, table.iteration, table.callId),
    index("approvals_answered_by").on(table.answeredBy),
    index("approvals_answered")
      .on(table.answeredAt)
      .where(sql`${table.response} IS NOT NULL`),
    index("approvals_open")
      .on(table.expiresAt)
      .where(sql`${table.response} IS NULL`),
  ],
);

/** One row per model call: tokens as the provider counted them, and what they cost. Costs and credits are US cents. */
export const usageLogs = pgTable(
  "usage_logs",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** Team that pays. */
    teamId: uuid().references(() => teams.id, { onDelete: "set null" }),
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    taskId: uuid().references(() => tasks.id, { onDelete: "set null" }),
    /** The call's number among those of its task and purpose, for turns the turn's: a repeated statement is harmless. */
    iteration: integer().notNull(),
    /** What the call was for. */
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
    /** `credited` when credits paid, `exempt` on own keys, `pending` otherwise. */
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
