import { and, asc, desc, eq, exists, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareOwnTeam } from "#src/db/locks.ts";
import { userApiKeys, userModels, userProviders } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Draft } from "#src/db/statement.ts";
import { MOST_SEALED } from "./keys.ts";

export type CustomProvider = typeof userProviders.$inferSelect;

/** The values that a person sets for a provider; the headers are a Fernet token of a JSON object. */
export type ProviderValues = Pick<
  CustomProvider,
  "name" | "slug" | "baseUrl" | "apiType" | "defaultHeadersEncrypted" | "availableModels"
>;

const active = (userId: string) => and(eq(userProviders.userId, userId), eq(userProviders.isActive, true));

export function activeProviders(db: Db, userId: string) {
  return db
    .select()
    .from(userProviders)
    .where(active(userId))
    .orderBy(asc(userProviders.createdAt), asc(userProviders.id));
}

/** The default headers of all providers that a person ever stored, encrypted. */
export function sealedHeaders(db: Draft, userId: string | SQL) {
  return db
    .select({ slug: userProviders.slug, encrypted: userProviders.defaultHeadersEncrypted })
    .from(userProviders)
    .where(and(eq(userProviders.userId, userId), sql`${userProviders.defaultHeadersEncrypted} IS NOT NULL`))
    .orderBy(desc(userProviders.isActive), desc(userProviders.id))
    .limit(MOST_SEALED);
}

/**
 * Stores a provider; restores a deleted one with the slug. Returns its id; `undefined` if an active one has the slug. Throws
 * the refusal of the ceiling on providers.
 */
export async function putProvider(
  { db, config }: { db: Db; config: CeilingConfig<"model_providers"> },
  provider: ProviderValues & { id: string; userId: string },
  entry: AuditEntry,
): Promise<string | undefined> {
  const { id, userId, ...values } = provider;
  const sameSlug = sql`user_id = ${userId}::uuid AND slug = ${provider.slug}::text`;
  const written = { ...values, isActive: true, createdAt: sql`now()`, updatedAt: sql`now()` };
  const batch = db.batch([
    // A provider whose slug is taken is refused for that.
    ...roomFor(db, config, [{ ceiling: "model_providers", owner: userId, except: sameSlug }]),
    shareOwnTeam(db, userId),
    lockPerson(db, userId),
    db
      .update(userProviders)
      .set(written)
      .where(
        and(
          sql`${userProviders.id} = (SELECT id FROM user_providers WHERE ${sameSlug} AND NOT is_active ORDER BY id DESC LIMIT 1)`,
          sql`NOT EXISTS (SELECT 1 FROM user_providers p WHERE ${sameSlug} AND p.is_active)`,
        ),
      )
      .returning({ id: userProviders.id }),
    db
      .insert(userProviders)
      .values({ id, userId, ...written })
      .onConflictDoNothing()
      .returning({ id: userProviders.id }),
    // Only rows that this batch's transaction wrote have this time.
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM user_providers WHERE ${sameSlug} AND is_active AND updated_at = now()::timestamptz(3))`,
    ),
  ]);
  const [, , , , [revived], [made]] = await whileThereIsRoom(batch);
  return (revived ?? made)?.id;
}

/** Changes an active provider. Returns its slug; `undefined` if there is none. */
export async function updateProvider(
  db: Db,
  { userId, id }: { userId: string; id: string },
  change: Partial<Omit<ProviderValues, "slug">>,
  entry: AuditEntry,
): Promise<string | undefined> {
  const which = and(active(userId), eq(userProviders.id, id));
  const found = db.select({ id: userProviders.id }).from(userProviders).where(which);
  const [, , , [updated]] = await db.batch([
    shareOwnTeam(db, userId),
    found.for("update"),
    insertAuditEntry(db, entry, exists(found)),
    db
      .update(userProviders)
      .set({ ...change, updatedAt: sql`now()` })
      .where(which)
      .returning({ slug: userProviders.slug }),
  ]);
  return updated?.slug;
}

/**
 * Deletes an active provider with the keys and added models of its slug. Returns the slug; `undefined` if there is
 * none. The audit log entry names all of them.
 */
export async function removeProvider(
  db: Db,
  { userId, id }: { userId: string; id: string },
  entry: AuditEntry,
): Promise<string | undefined> {
  const which = and(active(userId), eq(userProviders.id, id));
  const found = db.select({ id: userProviders.id }).from(userProviders).where(which);
  const slug = sql`(SELECT slug FROM user_providers WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND is_active)`;
  const ofSlug = sql`user_id = ${userId}::uuid AND provider = ${slug} AND is_active`;
  const details = sql`(SELECT jsonb_build_object('slug', slug, 'name', name,
    'deleted_keys', (SELECT coalesce(jsonb_agg(key_name ORDER BY key_name), '[]') FROM user_api_keys WHERE ${ofSlug}),
    'deleted_models', (SELECT coalesce(jsonb_agg(model_id ORDER BY model_id), '[]') FROM user_models WHERE ${ofSlug}))
    FROM user_providers WHERE id = ${id}::uuid)`;
  const [, , , , , [removed]] = await db.batch([
    shareOwnTeam(db, userId),
    found.for("update"),
    insertAuditEntry(db, { ...entry, details }, exists(found)),
    db
      .update(userApiKeys)
      .set({ isActive: false, updatedAt: sql`now()` })
      .where(ofSlug),
    db.update(userModels).set({ isActive: false }).where(ofSlug),
    db
      .update(userProviders)
      .set({ isActive: false, updatedAt: sql`now()` })
      .where(which)
      .returning({ slug: userProviders.slug }),
  ]);
  return removed?.slug;
}
