import { index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

const userId = () =>
  uuid()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/**
 * One row per sign-in. Access tokens name their session, and refresh tokens belong to one: a session that is over takes all
 * of them with it.
 */
export const sessions = pgTable(
  "sessions",
  {
    id: id(),
    userId: userId(),
    /** Device and address of the last refresh. */
    userAgent: text().notNull(),
    ipAddress: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: at().notNull().defaultNow(),
    /** When the last refresh token that was given out expires. */
    expiresAt: at().notNull(),
    endedAt: at(),
  },
  (table) => [
    index("sessions_user").on(table.userId, table.lastUsedAt),
    index("sessions_expires").on(table.expiresAt),
  ],
);

/** Server side of the refresh cookie: single use, stored as a SHA-256. One that comes twice ends its session. */
export const refreshRecords = pgTable(
  "refresh_records",
  {
    id: id(),
    sessionId: uuid()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    tokenHash: text().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("refresh_records_token_hash_unique").on(table.tokenHash),
    index("refresh_records_session").on(table.sessionId),
    index("refresh_records_expires").on(table.expiresAt),
  ],
);

/** Sign-ins whose password was right and whose mailed code is awaited. Attempts count over all codes of one sign-in. */
export const loginAttempts = pgTable(
  "login_attempts",
  {
    id: id(),
    userId: userId(),
    /** SHA-256 of the temporary token that the client holds. */
    tokenHash: text().notNull(),
    /** Argon2id, of the code that was mailed last. */
    codeHash: text().notNull(),
    codeExpiresAt: at().notNull(),
    /** Codes that were tried. */
    attempts: integer().notNull().default(0),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("login_attempts_token_hash_unique").on(table.tokenHash),
    index("login_attempts_user").on(table.userId),
    index("login_attempts_expires").on(table.expiresAt),
  ],
);

/** Links that were mailed to prove an address: single use, stored as a SHA-256. */
export const mailedTokens = pgTable(
  "mailed_tokens",
  {
    id: id(),
    userId: userId(),
    purpose: text({ enum: ["password_reset", "email_verification"] }).notNull(),
    tokenHash: text().notNull(),
    /** Address it was sent to; the token is void once the account has another. */
    email: text().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("mailed_tokens_token_hash_unique").on(table.tokenHash),
    index("mailed_tokens_user").on(table.userId),
    index("mailed_tokens_expires").on(table.expiresAt),
  ],
);

/** Accounts of OAuth providers that sign a person in. */
export const oauthAccounts = pgTable(
  "oauth_accounts",
  {
    id: id(),
    userId: userId(),
    provider: text({ enum: ["github", "google"] }).notNull(),
    /** The provider's own, unchanging id of the account. */
    accountId: text().notNull(),
    email: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("oauth_accounts_provider_account_unique").on(table.provider, table.accountId),
    index("oauth_accounts_user").on(table.userId),
  ],
);

/** States of OAuth flows that came back; a second coming is refused. Rows go when the state has expired anyway. */
export const usedOauthStates = pgTable(
  "used_oauth_states",
  {
    id: id(),
    expiresAt: at().notNull(),
  },
  (table) => [index("used_oauth_states_expires").on(table.expiresAt)],
);
