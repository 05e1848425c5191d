import { index, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { teams, users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

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
