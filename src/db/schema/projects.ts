import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { teams } from "./teams.ts";

/** What a project's first files are made from. */
export type ProjectSource =
  | { kind: "git"; url: string; branch: string | null }
  | { kind: "base"; baseId: string }
  | { kind: "fork"; projectId: string; hash: string };

/**
 * Code workspaces. Files live in the project's runtime, or in its snapshots while it is hibernated, not here.
 *
 * `wanted` is the state a person asked for and the project is on its way to; null once it is there. `generation` counts
 * the executors of that way: each one takes the next number, and a write under an older one is refused. Until
 * `leaseUntil` the newest executor counts as alive.
 */
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
    source: jsonb().$type<ProjectSource>(),
    /** When the first files were there; null until then. */
    setUpAt: at(),
    wanted: text({ enum: ["running", "stopped", "hibernated"] }),
    generation: integer().notNull().default(0),
    leaseUntil: at(),
    /** Executors in a row that did not get there. */
    attempts: integer().notNull().default(0),
    /** What the executor is doing, in a few words. */
    progress: text(),
    /** Why the last change of state failed; null after one that did not. */
    error: text(),
    startedAt: at(),
    hibernatedAt: at(),
    /** When its people were told that it will be hibernated soon. */
    idleWarnedAt: at(),
    lastActivity: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("projects_slug_unique").on(table.slug),
    // A page of a team's projects is read in their order.
    index("projects_team_newest").on(table.teamId, table.id),
    index("projects_owner").on(table.ownerId),
    index("projects_default_workspace")
      .on(table.ownerId)
      .where(sql`${table.settings} ->> 'default_workspace' = 'true'`),
    index("projects_wanted")
      .on(table.wanted)
      .where(sql`${table.wanted} IS NOT NULL`),
    // For the sweeps: when those that run were last used, and those that were warned.
    index("projects_last_used")
      .on(sql`greatest(${table.lastActivity}, ${table.startedAt})`)
      .where(sql`${table.status} = 'running' AND ${table.wanted} IS NULL`),
    index("projects_idle_warned")
      .on(table.idleWarnedAt)
      .where(sql`${table.idleWarnedAt} IS NOT NULL`),
  ],
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
