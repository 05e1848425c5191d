import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/** Shell sessions; their processes and output live in the project's runtime, under the same id. */
export const shellSessions = pgTable(
  "shell_sessions",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /**
     * Chat whose agent opened it; null for people and programs. Without a foreign key, because a session that outlives
     * its chat must still be closed.
     */
    chatId: uuid(),
    command: text().notNull(),
    workingDir: text().notNull(),
    status: text({ enum: ["initializing", "active", "idle", "closed", "failed"] }).notNull(),
    exitCode: integer(),
    /** Bytes of output that have been read, for reads that return only new output. */
    readPosition: bigint({ mode: "number" }).notNull().default(0),
    bytesWritten: bigint({ mode: "number" }).notNull().default(0),
    totalReads: integer().notNull().default(0),
    createdAt: createdAt(),
    lastActivityAt: at().notNull().defaultNow(),
    closedAt: at(),
  },
  (table) => [
    index("shell_sessions_project").on(table.projectId, table.status),
    index("shell_sessions_user").on(table.userId, table.status),
    index("shell_sessions_chat")
      .on(table.chatId, table.status)
      .where(sql`${table.chatId} IS NOT NULL`),
    index("shell_sessions_open")
      .on(table.lastActivityAt)
      .where(sql`${table.status} IN ('initializing', 'active', 'idle')`),
  ],
);

/** Commands that were run in projects over the API. Kept for 30 days. */
export const commandRuns = pgTable(
  "command_runs",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    command: text().notNull(),
    workingDir: text().notNull(),
    riskLevel: text({ enum: ["safe", "moderate", "high"] }).notNull(),
    dryRun: boolean().notNull().default(false),
    success: boolean().notNull(),
    exitCode: integer(),
    durationMs: integer().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("command_runs_project").on(table.projectId, table.createdAt),
    index("command_runs_user").on(table.userId, table.createdAt),
    index("command_runs_created").on(table.createdAt),
  ],
);
