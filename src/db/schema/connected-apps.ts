import { index, pgTable, text, uniqueIndex, uuid, type AnyPgColumn } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { at, createdAt, id } from "./columns.ts";
import { sessions } from "./sessions.ts";
import { teams } from "./teams.ts";

/**
 * Requests of MCP clients for access (OAuth 2.1), each opened by a person's session, which alone may decide it within ten
 * minutes. Allowing it gives a code, which is good once and for a minute.
 */
export const oauthRequests = pgTable(
  "oauth_requests",
  {
    id: id(),
    /** The session that opened the page. A code is void once that session has ended. */
    sessionId: uuid()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    clientId: text().notNull(),
    /** The client's name for itself. */
    clientName: text().notNull(),
    redirectUri: text().notNull(),
    /** The client's own value, which goes back to it. */
    state: text(),
    /** Permissions that the client asked for. */
    scopes: text().array().notNull(),
    /** SHA-256 of the client's verifier (PKCE), as base64url. */
    codeChallenge: text().notNull(),
    decision: text({ enum: ["allow", "deny"] }),
    decidedAt: at(),
    /** What was allowed: the team, and the permissions that are left. */
    teamId: uuid().references(() => teams.id, { onDelete: "cascade" }),
    allowedScopes: text().array(),
    /** SHA-256 of the code. */
    codeHash: text(),
    codeExpiresAt: at(),
    usedAt: at(),
    /** What the code was exchanged for, which ends when the code is presented again. */
    grantId: uuid().references((): AnyPgColumn => oauthGrants.id, { onDelete: "set null" }),
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("oauth_requests_code_hash_unique").on(table.codeHash),
    index("oauth_requests_session").on(table.sessionId),
    index("oauth_requests_team").on(table.teamId),
    index("oauth_requests_grant").on(table.grantId),
    index("oauth_requests_expires").on(table.expiresAt),
  ],
);

/**
 * What people allowed MCP clients: connected apps. A grant acts as a key that has no token, so what holds for keys holds for it: its
 * team, its scopes, its tasks and its end are those of the key.
 */
export const oauthGrants = pgTable(
  "oauth_grants",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    keyId: uuid()
      .notNull()
      .references(() => externalApiKeys.id, { onDelete: "cascade" }),
    clientId: text().notNull(),
    clientName: text().notNull(),
    /** Where the client was sent back to: a host, or the scheme of an app. */
    returnsTo: text().notNull(),
    /** Address of the MCP server that the tokens are for. */
    resource: text().notNull(),
    /** Expiry of the newest refresh token. */
    expiresAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("oauth_grants_key_unique").on(table.keyId),
    index("oauth_grants_user").on(table.userId),
  ],
);

/** Tokens of grants, stored as SHA-256. A refresh token that is used twice ends its grant. */
export const oauthTokens = pgTable(
  "oauth_tokens",
  {
    id: id(),
    grantId: uuid()
      .notNull()
      .references(() => oauthGrants.id, { onDelete: "cascade" }),
    kind: text({ enum: ["access", "refresh"] }).notNull(),
    tokenHash: text().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("oauth_tokens_token_hash_unique").on(table.tokenHash),
    index("oauth_tokens_grant").on(table.grantId),
    index("oauth_tokens_expires").on(table.expiresAt),
  ],
);
