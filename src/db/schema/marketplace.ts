import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { agents } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { checkouts } from "./payments.ts";
import { projects } from "./projects.ts";
import { bases } from "./snapshots.ts";
import { teams } from "./teams.ts";

/**
 * Agents that teams took from the marketplace. A team may use the agent while the row is active, has not ended and has
 * not expired.
 */
export const libraryAgents = pgTable(
  "library_agents",
  {
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    agentId: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    /** Who took it. */
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    purchaseType: text({ enum: ["free", "one_time", "monthly"] }).notNull(),
    checkoutId: uuid().references(() => checkouts.id),
    /** Id at the provider; null unless it is paid monthly. */
    subscriptionId: text(),
    /** The team's own switch. */
    isActive: boolean().notNull().default(true),
    /** Null never expires. */
    expiresAt: at(),
    /** When the right to use it ended: it was refunded, removed, or its subscription is over. */
    endedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.agentId] }),
    index("library_agents_agent").on(table.agentId),
    index("library_agents_user").on(table.userId),
    index("library_agents_checkout").on(table.checkoutId),
    index("library_agents_subscription").on(table.subscriptionId),
  ],
);

/** Templates that teams took from the marketplace; usable until they end. */
export const libraryBases = pgTable(
  "library_bases",
  {
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    baseId: uuid()
      .notNull()
      .references(() => bases.id, { onDelete: "cascade" }),
    /** Who took it. */
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    purchaseType: text({ enum: ["free", "one_time"] }).notNull(),
    checkoutId: uuid().references(() => checkouts.id),
    endedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.baseId] }),
    index("library_bases_base").on(table.baseId),
    index("library_bases_user").on(table.userId),
    index("library_bases_checkout").on(table.checkoutId),
  ],
);

/** Agents that a project offers to its people, out of those that its team may use. */
export const projectAgents = pgTable(
  "project_agents",
  {
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    agentId: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.agentId] }),
    index("project_agents_agent").on(table.agentId),
  ],
);

/** What people think of an agent or a template: one review of each per person. */
export const reviews = pgTable(
  "reviews",
  {
    id: id(),
    agentId: uuid().references(() => agents.id, { onDelete: "cascade" }),
    baseId: uuid().references(() => bases.id, { onDelete: "cascade" }),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** 1 to 5. */
    rating: integer().notNull(),
    comment: text(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    check("reviews_of_one_item", sql`num_nonnulls(${table.agentId}, ${table.baseId}) = 1`),
    check("reviews_rating", sql`${table.rating} BETWEEN 1 AND 5`),
    uniqueIndex("reviews_agent_unique").on(table.agentId, table.userId),
    uniqueIndex("reviews_base_unique").on(table.baseId, table.userId),
    index("reviews_user").on(table.userId),
  ],
);
