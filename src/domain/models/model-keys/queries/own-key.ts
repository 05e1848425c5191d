import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { list } from "./models.ts";

/** Everything that a call on a person's own key depends on. */
export interface KeyLookup {
  /** Id of a built-in provider or slug of a custom one; null if the id leads to none. */
  provider: string | null;
  hasTier: boolean;
  /** Models that the project's team has switched off. */
  disabledModels: string[];
  /** Name of the person's custom provider with that slug. */
  customName: string | null;
  customUrl: string | null;
  customType: "openai" | "anthropic" | null;
  customHeaders: string | null;
  /** The newest active, unexpired key of exactly that provider; otherwise the newest expired one. */
  keyValue: string | null;
  keyUrl: string | null;
  isExpired: boolean | null;
  authType: "api_key" | "oauth_token" | "bearer_token" | "personal_access_token" | null;
}

/**
 * Reads, in one round trip, everything that a call on a person's own key depends on, and records the key's use, at most
 * once a minute. `provider` is null if only the person's list of added models can tell it.
 */
export async function lookUpKey(
  db: Db,
  who: { userId: string; teamId: string },
  wish: { id: string; provider: string | null },
  tiers: readonly string[],
): Promise<KeyLookup | undefined> {
  const { userId, teamId } = who;
  const result = await db.execute<KeyLookup & Record<string, unknown>>(sql`
    WITH lookup AS (
      SELECT coalesce(${wish.provider}::text, (
        SELECT provider FROM user_models WHERE user_id = ${userId}::uuid AND model_id = ${wish.id}::text AND is_active
        ORDER BY id DESC LIMIT 1)) AS provider
    ), allowed AS (
      SELECT
        EXISTS (SELECT 1 FROM teams WHERE (id = ${teamId}::uuid OR (is_personal AND created_by = ${userId}::uuid))
          AND subscription_tier IN (${list(tiers)})) AS has_tier,
        coalesce((SELECT to_jsonb(disabled_models) FROM teams WHERE id = ${teamId}::uuid), '[]') AS disabled_models
    ), custom AS (
      SELECT p.name, p.base_url, p.api_type, p.default_headers_encrypted FROM user_providers p, lookup
      WHERE p.user_id = ${userId}::uuid AND p.slug = lookup.provider AND p.is_active
    ), own_key AS (
      SELECT k.id, k.encrypted_value, k.base_url, k.auth_type, coalesce(k.expires_at <= now(), false) AS is_expired
      FROM user_api_keys k, lookup
      WHERE k.user_id = ${userId}::uuid AND k.provider = lookup.provider AND k.is_active
      ORDER BY coalesce(k.expires_at <= now(), false), k.created_at DESC, k.id DESC LIMIT 1
    ), used AS (
      UPDATE user_api_keys SET last_used_at = now() FROM own_key, allowed
      WHERE user_api_keys.id = own_key.id AND NOT own_key.is_expired AND allowed.has_tier
        AND (user_api_keys.last_used_at IS NULL OR user_api_keys.last_used_at < now() - interval '1 minute')
    )
    SELECT lookup.provider, allowed.has_tier AS "hasTier", allowed.disabled_models AS "disabledModels", custom.name AS "customName",
      custom.base_url AS "customUrl", custom.api_type AS "customType",
      custom.default_headers_encrypted AS "customHeaders", own_key.encrypted_value AS "keyValue",
      own_key.base_url AS "keyUrl", own_key.is_expired AS "isExpired", own_key.auth_type AS "authType"
    FROM lookup CROSS JOIN allowed LEFT JOIN custom ON true LEFT JOIN own_key ON true
  `);
  return result.rows[0];
}
