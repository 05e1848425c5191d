import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";

/**
 * Security-relevant actions, kept for AUDIT_LOG_RETENTION_DAYS. Actions that concern only one person are in the log of
 * the personal team.
 */
export const auditLog = pgTable(
  "audit_log",
  {
    id: id(),
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** Null once the account is deleted. */
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    action: text().notNull(),
    resourceType: text().notNull(),
    resourceId: text(),
    details: jsonb().$type<Record<string, unknown>>(),
    ipAddress: text(),
    userAgent: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index("audit_log_team").on(table.teamId, table.id),
    index("audit_log_created").on(table.createdAt),
    // For the updates to null when a project or an account is deleted.
    index("audit_log_project").on(table.projectId),
    index("audit_log_user").on(table.userId),
  ],
);

/** Actions of the installation's administrators on accounts. */
export const adminActions = pgTable(
  "admin_actions",
  {
    id: id(),
    adminId: uuid().references(() => users.id, { onDelete: "set null" }),
    actionType: text().notNull(),
    targetType: text().notNull(),
    targetId: text().notNull(),
    reason: text(),
    details: jsonb().$type<Record<string, unknown>>(),
    ipAddress: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index("admin_actions_created").on(table.createdAt),
    index("admin_actions_admin").on(table.adminId),
    index("admin_actions_target").on(table.targetId),
  ],
);
