import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

/** Owners of projects. Every account gets a personal team at registration. */
export const teams = pgTable(
  "teams",
  {
    id: id(),
    name: text().notNull(),
    slug: text().notNull(),
    avatarUrl: text(),
    isPersonal: boolean().notNull().default(false),
    subscriptionTier: text({ enum: ["free", "basic", "pro", "ultra"] })
      .notNull()
      .default("free"),
    /** Credits by source; one credit is one US cent. */
    dailyCredits: integer().notNull().default(0),
    bundledCredits: integer().notNull().default(0),
    signupBonusCredits: integer().notNull().default(0),
    purchasedCredits: integer().notNull().default(0),
    /**
     * The part of all credits that is reserved for model calls in progress: the sum of the team's
     * `credit_reservations`.
     */
    reservedCredits: integer().notNull().default(0),
    /** The team as a customer of the payment provider. */
    stripeCustomerId: text().unique("teams_stripe_customer_unique"),
    /** Deployments beyond those of the tier, bought one by one. */
    deploySlots: integer().notNull().default(0),
    /** The day (UTC) whose daily credits have been granted. */
    dailyCreditsResetAt: at(),
    /** When the bundled credits are next granted. */
    creditsResetAt: at(),
    /** The bonus is void after this time. */
    signupBonusExpiresAt: at(),
    /** When the bonus was granted, which happens once; null until the owner's address is verified. */
    signupBonusGrantedAt: at(),
    /** Ids of models that the team has switched off for its members. */
    disabledModels: text().array().notNull().default([]),
    createdBy: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("teams_slug_unique").on(table.slug), index("teams_created_by").on(table.createdBy)],
);

/**
 * Credits reserved for a model call in progress: the most that the call may cost. The statement that charges the call
 * deletes the row; a sweep deletes expired rows. Every insert and delete locks the team's row and changes
 * `reserved_credits` by the same amount.
 */
export const creditReservations = pgTable(
  "credit_reservations",
  {
    id: id(),
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    /**
     * Task of an agent's turn or summary; null for other calls. Without a foreign key: a reservation of a deleted task
     * expires.
     */
    taskId: uuid(),
    credits: integer().notNull(),
    /** Renewed while the call is in progress. */
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("credit_reservations_team").on(table.teamId),
    index("credit_reservations_task").on(table.taskId),
    index("credit_reservations_expires").on(table.expiresAt),
  ],
);

/** Members of a team and their roles: `admin`, `editor` or `viewer`. */
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

/**
 * Invitations to a team: an `email` invitation can be accepted only by the account with that address, a `link` by any
 * account, up to `max_uses`. The token is stored as SHA-256.
 */
export const teamInvitations = pgTable(
  "team_invitations",
  {
    id: id(),
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    kind: text({ enum: ["email", "link"] }).notNull(),
    /** The only address that may accept; null for a link. */
    email: text(),
    role: text({ enum: ["admin", "editor", "viewer"] }).notNull(),
    tokenHash: text().notNull(),
    /** Null for a link without a limit. */
    maxUses: integer(),
    uses: integer().notNull().default(0),
    invitedBy: uuid().references(() => users.id, { onDelete: "set null" }),
    expiresAt: at().notNull(),
    revokedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("team_invitations_token_hash_unique").on(table.tokenHash),
    index("team_invitations_team").on(table.teamId, table.createdAt),
    index("team_invitations_invited_by").on(table.invitedBy),
  ],
);
