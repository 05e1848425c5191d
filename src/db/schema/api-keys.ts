import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { agents } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { teams } from "./teams.ts";

/** Keys for the external agent API. The raw token is never stored; revoking wipes even its hash. */
export const externalApiKeys = pgTable(
  "external_api_keys",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Team in which the key acts; the owner's role in the team limits the key's permissions. */
    teamId: uuid()
      .notNull()
      .references(() => teams.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** SHA-256 (hex) of the whole token; null once revoked, and for the key of a connected app. */
    keyHash: text(),
    /** `tsk_` and the first four characters of the secret, for people to tell keys apart. */
    keyPrefix: text().notNull(),
    scope: text({ enum: ["project", "team"] }).notNull(),
    /** Projects a project-scoped key is bound to; null reaches every project of the owner. */
    projectIds: uuid().array(),
    /** Permissions; null grants everything that the owner's role grants. */
    scopes: text().array(),
    /** Agent for calls that do not name one; null for the default agent. */
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    /** Fernet token of the Standard Webhooks secret that signs the callbacks of this key's tasks. */
    webhookSecretEncrypted: text().notNull(),
    /** The secret before the last rotation, which signs as well until then. */
    previousWebhookSecretEncrypted: text(),
    previousWebhookSecretUntil: at(),
    isActive: boolean().notNull().default(true),
    expiresAt: at(),
    lastUsedAt: at(),
    createdAt: createdAt(),
    revokedAt: at(),
  },
  (table) => [
    uniqueIndex("external_api_keys_key_hash_unique").on(table.keyHash),
    index("external_api_keys_user").on(table.userId),
    index("external_api_keys_team").on(table.teamId),
    index("external_api_keys_agent").on(table.agentId),
  ],
);

/** Idempotency keys of requests: the same key with the same body within 24 h returns the same task. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    apiKeyId: uuid()
      .notNull()
      .references(() => externalApiKeys.id, { onDelete: "cascade" }),
    key: text().notNull(),
    /** SHA-256 (hex) of the request's content; another body under the same key is refused. */
    requestHash: text().notNull(),
    taskId: uuid().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.apiKeyId, table.key] }),
    index("idempotency_keys_created").on(table.createdAt),
  ],
);

/** As `idempotencyKeys`, for the messages of signed-in people. */
export const messageKeys = pgTable(
  "message_keys",
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    key: text().notNull(),
    /** SHA-256 (hex) of the message; another message under the same key is refused. */
    requestHash: text().notNull(),
    taskId: uuid().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index("message_keys_created").on(table.createdAt),
  ],
);
