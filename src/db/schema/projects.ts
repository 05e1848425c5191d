import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { teams } from "./teams.ts";

/** The source of a project's initial files. */
export type ProjectSource =
  | { kind: "git"; url: string; branch: string | null }
  | { kind: "base"; baseId: string }
  | { kind: "fork"; projectId: string; hash: string };

/**
 * Code workspaces. Their files are in the project's runtime, or in a snapshot while the project is hibernated.
 *
 * `wanted` is the requested state of a transition in progress; null once it is reached. `generation` is incremented by
 * each executor of the transition, and fences its files and snapshots against older executors.
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
    /** When the initial files were in place; null until then. */
    setUpAt: at(),
    wanted: text({ enum: ["running", "stopped", "hibernated"] }),
    generation: integer().notNull().default(0),
    /** The current step, in a few words. */
    progress: text(),
    /** Why the last transition failed; null after a successful one. */
    error: text(),
    /** When the last transition was given up; null while one is in progress and after a successful one. */
    failedAt: at(),
    /** When it was found that its files are gone and in no snapshot; null once a person has chosen how it starts again. */
    lostAt: at(),
    /** When a snapshot of its files was last requested without a person, because they may have changed. */
    saveAskedAt: at(),
    startedAt: at(),
    hibernatedAt: at(),
    /** Since when it is always on, so that idleness does not hibernate it; null if it is not. Counts against the team's tier. */
    deployedAt: at(),
    /** When the project's people were warned of the hibernation. */
    idleWarnedAt: at(),
    lastActivity: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("projects_slug_unique").on(table.slug),
    // Pages of a team's projects are read in this order.
    index("projects_team_newest").on(table.teamId, table.id),
    index("projects_owner").on(table.ownerId),
    index("projects_default_workspace")
      .on(table.ownerId)
      .where(sql`${table.settings} ->> 'default_workspace' = 'true'`),
    index("projects_always_on")
      .on(table.teamId)
      .where(sql`${table.deployedAt} IS NOT NULL`),
    // For the sweeps: when running projects were last used, and which were warned.
    index("projects_last_used")
      .on(sql`greatest(${table.lastActivity}, ${table.startedAt})`)
      .where(sql`${table.status} = 'running' AND ${table.wanted} IS NULL`),
    // The same for projects that are up without having been started.
    index("projects_left_up")
      .on(sql`greatest(${table.lastActivity}, ${table.setUpAt}, ${table.createdAt})`)
      .where(
        sql`${table.status} IN ('stopped', 'failed') AND ${table.wanted} IS NULL AND ${table.hibernatedAt} IS NULL AND ${table.lostAt} IS NULL`,
      ),
    // Projects that were used since their last snapshot was requested.
    index("projects_unsaved")
      .on(table.saveAskedAt.asc().nullsFirst())
      .where(
        sql`${table.status} IN ('running', 'stopped') AND ${table.wanted} IS NULL AND ${table.lostAt} IS NULL AND (${table.saveAskedAt} IS NULL OR ${table.saveAskedAt} < greatest(${table.lastActivity}, ${table.startedAt}, ${table.setUpAt}))`,
      ),
    index("projects_idle_warned")
      .on(table.idleWarnedAt)
      .where(sql`${table.idleWarnedAt} IS NOT NULL`),
  ],
);

/**
 * Roles in one project. For a member of its team, this role replaces the one in the team; other people get access
 * through it.
 */
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
