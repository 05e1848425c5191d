import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

/** Long-running work on projects and containers, for clients that wait for it; kept for a day after its end. */
export const backgroundTasks = pgTable(
  "background_tasks",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** No foreign key: the task of a deletion outlives the project. */
    projectId: uuid().notNull(),
    containerId: uuid(),
    type: text({
      enum: ["project_creation", "project_deletion", "container_start", "container_restart"],
    }).notNull(),
    status: text({ enum: ["queued", "running", "completed", "failed", "cancelled"] }).notNull(),
    progress: jsonb()
      .$type<{ current: number; total: number; message: string }>()
      .notNull()
      .default({ current: 0, total: 100, message: "" }),
    result: jsonb().$type<Record<string, unknown>>(),
    error: text(),
    logs: text().array().notNull().default([]),
    createdAt: createdAt(),
    startedAt: at(),
    completedAt: at(),
  },
  (table) => [
    index("background_tasks_user").on(table.userId, table.createdAt),
    index("background_tasks_project").on(table.projectId),
    index("background_tasks_container").on(table.containerId),
    index("background_tasks_completed").on(table.completedAt),
  ],
);
