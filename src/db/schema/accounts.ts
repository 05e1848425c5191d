import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at, createdAt, id } from "./columns.ts";

/** People with an account. Emails and usernames are unique whatever their case. */
export const users = pgTable(
  "users",
  {
    id: id(),
    email: text().notNull(),
    username: text().notNull(),
    name: text().notNull(),
    slug: text().notNull(),
    /** bcrypt, per-user salt; null for accounts without a password. */
    passwordHash: text(),
    isActive: boolean().notNull().default(true),
    isSuperuser: boolean().notNull().default(false),
    isVerified: boolean().notNull().default(false),
    defaultTeamId: uuid(),
    avatarUrl: text(),
    lastActiveAt: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("users_email_unique").on(sql`lower(${table.email})`),
    uniqueIndex("users_username_unique").on(sql`lower(${table.username})`),
    uniqueIndex("users_slug_unique").on(table.slug),
  ],
);

/** Server side of the refresh cookie: single use, stored as a SHA-256, in families that end together on reuse. */
export const refreshRecords = pgTable(
  "refresh_records",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    familyId: uuid().notNull(),
    tokenHash: text().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
    revokedAt: at(),
    userAgent: text(),
    ipAddress: text(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("refresh_records_token_hash_unique").on(table.tokenHash),
    index("refresh_records_family").on(table.familyId),
    index("refresh_records_user").on(table.userId),
  ],
);

/** Owners of projects. Every account gets a personal team at registration. */
export const teams = pgTable(
  "teams",
  {
    id: id(),
    name: text().notNull(),
    slug: text().notNull(),
    isPersonal: boolean().notNull().default(false),
    createdBy: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("teams_slug_unique").on(table.slug)],
);

/** Who belongs to a team, and as what: `admin`, `editor` or `viewer`. */
export const teamMemberships = pgTable(
  "team_memberships",
  {
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text({ enum: ["admin", "editor", "viewer"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.userId] }),
    index("team_memberships_user").on(table.userId),
  ],
);
