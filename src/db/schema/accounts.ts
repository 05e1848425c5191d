import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at, createdAt, id } from "./columns.ts";

export const TASK_NOTICES = ["ask", "on", "off"] as const;

/**
 * People with an account. Usernames are unique regardless of case. So are addresses of accounts that hold theirs;
 * several accounts may claim the same unproved address.
 */
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
    /**
     * When an account claimed an address that it does not hold, where registration does not reveal accounts; null for
     * an account that holds its address.
     */
    emailAskedAt: at(),
    defaultTeamId: uuid(),
    /** Address of a picture, or the picture itself as a `data:` address. */
    avatarUrl: text(),
    bio: text(),
    twitterHandle: text(),
    githubUsername: text(),
    websiteUrl: text(),
    /** Preferences of the console; null stands for the default. */
    diagramModel: text(),
    themePreset: text(),
    chatPosition: text({ enum: ["left", "center", "right"] }),
    /** Whether a mail tells what came of a task that ran for long. */
    taskMail: boolean().notNull().default(false),
    /** Whether the browser tells of it; `ask` until the person was asked. */
    taskNotices: text({ enum: TASK_NOTICES }).notNull().default("ask"),
    /** The account at the payment provider that the person's shares are sent to. */
    stripeAccountId: text().unique("users_stripe_account_unique"),
    lastActiveAt: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("users_email_unique")
      .on(sql`lower(${table.email})`)
      .where(sql`${table.emailAskedAt} IS NULL`),
    index("users_email").on(sql`lower(${table.email})`),
    check("users_verified_holds_email", sql`${table.emailAskedAt} IS NULL OR NOT ${table.isVerified}`),
    uniqueIndex("users_username_unique").on(sql`lower(${table.username})`),
    uniqueIndex("users_slug_unique").on(table.slug),
  ],
);
