import { boolean, index, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/** Who works on a project: a prompt and a model. The default one is part of the first migration. */
export const agents = pgTable(
  "agents",
  {
    id: id(),
    slug: text().notNull(),
    name: text().notNull(),
    description: text().notNull().default(""),
    /** Added to the service's own system prompt. */
    systemPrompt: text().notNull().default(""),
    /** Model name; null uses the platform's default. */
    model: text(),
    isActive: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("agents_slug_unique").on(table.slug)],
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
    /** Where it began: `browser`, `api`, a platform's name, `schedule`. */
    origin: text().notNull(),
    status: text({ enum: ["active", "running", "waiting_approval", "completed", "archived"] })
      .notNull()
      .default("active"),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [index("chats_project").on(table.projectId), index("chats_user").on(table.userId)],
);

/** What people and agents said in a chat, oldest first by id. */
export const messages = pgTable(
  "messages",
  {
    id: id(),
    chatId: uuid()
      .notNull()
      .references(() => chats.id, { onDelete: "cascade" }),
    role: text({ enum: ["user", "assistant"] }).notNull(),
    content: text().notNull(),
    messageMetadata: jsonb().$type<Record<string, unknown>>(),
    /** Task the message asked for, or that answered with it. */
    taskId: uuid(),
    createdAt: createdAt(),
  },
  (table) => [
    index("messages_chat").on(table.chatId, table.id),
    uniqueIndex("messages_task_role_unique").on(table.taskId, table.role),
  ],
);
