import { sql } from "drizzle-orm";
import { boolean, index, jsonb, numeric, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";

/** People's own keys of model providers. Deleted keys stay as inactive rows for audit. */
export const userApiKeys = pgTable(
  "user_api_keys",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Id of a built-in provider, or slug of a custom provider of the user. */
    provider: text().notNull(),
    authType: text({ enum: ["api_key", "oauth_token", "bearer_token", "personal_access_token"] })
      .notNull()
      .default("api_key"),
    keyName: text().notNull(),
    /** Fernet token of the raw key. */
    encryptedValue: text().notNull(),
    /** Address to call instead of the provider's own. */
    baseUrl: text(),
    providerMetadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    isActive: boolean().notNull().default(true),
    expiresAt: at(),
    lastUsedAt: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("user_api_keys_name_unique")
      .on(table.userId, table.provider, table.keyName)
      .where(sql`${table.isActive}`),
    index("user_api_keys_user").on(table.userId, table.createdAt),
  ],
);

/** Model providers that people added: any OpenAI-compatible or Anthropic-compatible endpoint. */
export const userProviders = pgTable(
  "user_providers",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    slug: text().notNull(),
    baseUrl: text().notNull(),
    apiType: text({ enum: ["openai", "anthropic"] }).notNull(),
    /** Fernet token of a JSON object: header values may be secrets. */
    defaultHeadersEncrypted: text(),
    availableModels: text().array().notNull().default([]),
    isActive: boolean().notNull().default(true),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("user_providers_slug_unique")
      .on(table.userId, table.slug)
      .where(sql`${table.isActive}`),
    index("user_providers_user").on(table.userId),
  ],
);

/** Models that people added to the list, with prices in US dollars per million tokens. */
export const userModels = pgTable(
  "user_models",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    modelId: text().notNull(),
    modelName: text().notNull(),
    provider: text().notNull(),
    pricingInput: numeric({ mode: "number" }),
    pricingOutput: numeric({ mode: "number" }),
    isActive: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("user_models_model_unique")
      .on(table.userId, table.modelId, table.provider)
      .where(sql`${table.isActive}`),
    index("user_models_user").on(table.userId),
  ],
);
