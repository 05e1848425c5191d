import { boolean, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
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
    lastSyncAt: at(),
    lastCommitSha: text(),
    autoPush: boolean().notNull().default(false),
    autoPull: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index("repositories_user").on(table.userId)],
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
