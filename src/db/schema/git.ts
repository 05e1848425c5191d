import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/** The remote repository from which a project was cloned or to which it is pushed; at most one. */
export const repositories = pgTable(
  "repositories",
  {
    projectId: uuid()
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    id: uuid().notNull(),
    /** Without credentials. */
    repoUrl: text().notNull(),
    repoOwner: text().notNull(),
    repoName: text().notNull(),
    defaultBranch: text().notNull(),
    /** The person for whom, and with whose credentials, the clone runs. */
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    syncStatus: text({ enum: ["cloning", "cloned", "failed"] }).notNull(),
    progress: text(),
    error: text(),
    // Three columns and an index of the version before 0044, to be dropped once none of it runs.
    generation: integer().notNull().default(0),
    leaseUntil: at(),
    attempts: integer().notNull().default(0),
    lastSyncAt: at(),
    lastCommitSha: text(),
    autoPush: boolean().notNull().default(false),
    autoPull: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    index("repositories_user").on(table.userId),
    index("repositories_cloning")
      .on(table.leaseUntil)
      .where(sql`${table.syncStatus} = 'cloning'`),
  ],
);

/** A person's access to a git host: an OAuth grant or a personal token; one per host. */
export const gitConnections = pgTable(
  "git_connections",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    provider: text({ enum: ["github", "gitlab", "bitbucket"] }).notNull(),
    authType: text({ enum: ["oauth_token", "personal_access_token"] }).notNull(),
    /** Fernet tokens. */
    encryptedToken: text().notNull(),
    encryptedRefreshToken: text(),
    expiresAt: at(),
    username: text(),
    email: text(),
    scope: text(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [uniqueIndex("git_connections_provider_unique").on(table.userId, table.provider)],
);
