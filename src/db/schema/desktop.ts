import { index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { at, createdAt, id } from "./columns.ts";

const userId = () =>
  uuid()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** Pairing links that a desktop app has not used yet: valid for minutes, single use, stored as SHA-256. */
export const pairingTokens = pgTable(
  "pairing_tokens",
  {
    id: id(),
    userId: userId(),
    tokenHash: text().notNull(),
    /** Permissions the key will have. */
    scopes: text().array().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("pairing_tokens_token_hash_unique").on(table.tokenHash),
    index("pairing_tokens_user").on(table.userId),
    index("pairing_tokens_expires").on(table.expiresAt),
  ],
);

/** Desktop apps that hold a key. A device is paired as long as its key is active. */
export const desktopDevices = pgTable(
  "desktop_devices",
  {
    id: id(),
    userId: userId(),
    apiKeyId: uuid()
      .notNull()
      .references(() => externalApiKeys.id, { onDelete: "cascade" }),
    name: text().notNull(),
    platform: text(),
    fingerprint: text(),
    appVersion: text(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("desktop_devices_api_key_unique").on(table.apiKeyId),
    index("desktop_devices_user").on(table.userId),
  ],
);
