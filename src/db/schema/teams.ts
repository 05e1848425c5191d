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
    /** Credits by where they came from; one credit is one US cent. */
    dailyCredits: integer().notNull().default(0),
    bundledCredits: integer().notNull().default(0),
    signupBonusCredits: integer().notNull().default(0),
    purchasedCredits: integer().notNull().default(0),
    /** Of all of them, what is put aside for model calls that are under way: the sum of the team's `credit_reservations`. */
    reservedCredits: integer().notNull().default(0),
    /** Day (UTC) for which the daily credits were filled. */
    dailyCreditsResetAt: at(),
    /** When the bundled credits are filled again. */
    creditsResetAt: at(),
    /** After it the bonus counts as nothing. */
    signupBonusExpiresAt: at(),
    /** When the bonus was given, which happens once; null while the address of its holder is not proved. */
    signupBonusGrantedAt: at(),
    /** Ids of models that members are not offered. */
    disabledModels: text().array().notNull().default([]),
    createdBy: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("teams_slug_unique").on(table.slug), index("teams_created_by").on(table.createdBy)],
);

/**
 * What is put aside of a team's credits for a model call that is under way: what it may cost at most. The row goes with the
 * statement that charges the call, or once it has expired. Whoever adds or removes one holds the team's row, and changes
 * `reserved_credits` by the same number.
 */
export const creditReservations = pgTable(
  "credit_reservations",
  {
    id: id(),
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    /** Whose turn, or summary, the call is for; null for any other. No reference: what a deleted task held expires. */
    taskId: uuid(),
    credits: integer().notNull(),
    /** Renewed for as long as the call goes on. */
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("credit_reservations_team").on(table.teamId),
    index("credit_reservations_task").on(table.taskId),
    index("credit_reservations_expires").on(table.expiresAt),
  ],
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

/**
 * Ways into a team: `email` for the holder of that address alone, `link` for whoever has it, up to `max_uses`. The token
 * is stored as a SHA-256.
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
