import { index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { teams } from "./teams.ts";

/** Code workspaces. Files live in the project's `ProjectWorkspace` object, not here. */
export const projects = pgTable(
  "projects",
  {
    id: id(),
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    ownerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    slug: text().notNull(),
    description: text().notNull().default(""),
    sourceType: text().notNull(),
    status: text({
      enum: ["initializing", "starting", "running", "stopped", "hibernated", "failed"],
    }).notNull(),
    visibility: text({ enum: ["private", "team", "public"] })
      .notNull()
      .default("team"),
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    lastActivity: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [uniqueIndex("projects_slug_unique").on(table.slug), index("projects_team").on(table.teamId)],
);

/** Roles in one project: for members of its team in place of the team's role, for others their way in. */
export const projectMemberships = pgTable(
  "project_memberships",
  {
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text({ enum: ["admin", "editor", "viewer"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.userId] }),
    index("project_memberships_user").on(table.userId),
  ],
);
