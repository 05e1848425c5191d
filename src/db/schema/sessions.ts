import { bigint, boolean, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

const userId = () =>
  uuid()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** One row per sign-in. Access tokens and refresh tokens belong to a session and become invalid with it. */
export const sessions = pgTable(
  "sessions",
  {
    id: id(),
    userId: userId(),
    /** Device and address of the last refresh. */
    userAgent: text().notNull(),
    ipAddress: text().notNull(),
    /** Name of the program, for a session that a person approved for it; null for all other sessions. */
    clientName: text(),
    createdAt: createdAt(),
    lastUsedAt: at().notNull().defaultNow(),
    /** Expiry of the newest refresh token. */
    expiresAt: at().notNull(),
    endedAt: at(),
  },
  (table) => [
    index("sessions_user").on(table.userId, table.lastUsedAt),
    index("sessions_expires").on(table.expiresAt),
  ],
);

/** Records of refresh tokens: single use, stored as SHA-256. A token that is used twice ends its session. */
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

/**
 * Authenticator apps (RFC 6238), one of a person. It counts from its confirmation by a code on; until then another one may
 * take its place.
 */
export const authenticators = pgTable(
  "authenticators",
  {
    id: id(),
    userId: userId(),
    /** The shared secret in Base32. */
    encryptedSecret: text().notNull(),
    confirmedAt: at(),
    /** Number of the 30 seconds of the newest code that was accepted. Neither that code nor an earlier one is accepted again. */
    lastStep: integer().notNull().default(0),
    /** SHA-256 of the recovery codes that are left. Each is accepted once in place of a code. */
    recoveryHashes: text().array().notNull().default([]),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("authenticators_user_unique").on(table.userId)],
);

/** Passkeys (WebAuthn). Each signs its person in alone. Nothing here is secret: the private key stays with the authenticator. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: id(),
    userId: userId(),
    /** What the person calls it. */
    name: text().notNull(),
    /** The authenticator's own id of the credential, in base64url. */
    credentialId: text().notNull(),
    /** COSE key in base64url. */
    publicKey: text().notNull(),
    /** The highest signature counter so far; 0 for an authenticator that does not count. */
    counter: bigint({ mode: "number" }).notNull(),
    /** How browsers reach the authenticator, so that they offer no second passkey of it. */
    transports: text().array().notNull().default([]),
    /** Whether the authenticator keeps copies of it elsewhere. */
    isBackedUp: boolean().notNull(),
    createdAt: createdAt(),
    lastUsedAt: at(),
  },
  (table) => [
    uniqueIndex("passkeys_credential_unique").on(table.credentialId),
    index("passkeys_user").on(table.userId),
  ],
);

/** Sign-ins with a correct password that wait for a code, mailed or of the authenticator app. Attempts count over all codes of one sign-in. */
export const loginAttempts = pgTable(
  "login_attempts",
  {
    id: id(),
    userId: userId(),
    /** SHA-256 of the client's temporary token. */
    tokenHash: text().notNull(),
    /** Argon2id of the most recently mailed code; null where the authenticator app has the code. */
    codeHash: text(),
    codeExpiresAt: at().notNull(),
    /** Codes that were tried so far. */
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

/** Mailed links that prove an address: single use, stored as SHA-256. */
export const mailedTokens = pgTable(
  "mailed_tokens",
  {
    id: id(),
    userId: userId(),
    purpose: text({ enum: ["password_reset", "email_verification"] }).notNull(),
    tokenHash: text().notNull(),
    /** The address to which it was sent; the token is void once the account has another one. */
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

/** Accounts at OAuth providers with which a person can sign in. */
export const oauthAccounts = pgTable(
  "oauth_accounts",
  {
    id: id(),
    userId: userId(),
    provider: text({ enum: ["github", "google"] }).notNull(),
    /** The provider's own stable id of the account. */
    accountId: text().notNull(),
    email: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("oauth_accounts_provider_account_unique").on(table.provider, table.accountId),
    index("oauth_accounts_user").on(table.userId),
  ],
);

/** Used states of OAuth flows, and used challenges of passkeys, so that a second use is refused. Rows are deleted after they have expired. */
export const usedOauthStates = pgTable(
  "used_oauth_states",
  {
    id: id(),
    expiresAt: at().notNull(),
  },
  (table) => [index("used_oauth_states_expires").on(table.expiresAt)],
);
