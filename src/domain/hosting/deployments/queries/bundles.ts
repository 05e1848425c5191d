import { and, desc, eq, isNotNull, sql, type SQL } from "drizzle-orm";
import { deployments } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Forgets the files of a site's deployments that are over, except the newest `kept` successful ones and the live one: a
 * statement of a stage. Their objects are deleted by the sweep of the archive.
 */
export function forgetBundles(db: Db, isHeld: SQL<boolean>, siteId: string, kept: number) {
  return db
    .update(deployments)
    .set({ bundle: null })
    .where(
      and(
        eq(deployments.siteId, siteId),
        isHeld,
        isNotNull(deployments.bundle),
        sql`${deployments.status} IN ('success', 'failed', 'cancelled')`,
        sql`${deployments.id} IS DISTINCT FROM (SELECT live_deployment_id FROM deployment_sites WHERE id = ${siteId}::uuid)`,
        sql`${deployments.id} NOT IN (
          SELECT newest.id FROM deployments AS newest
          WHERE newest.site_id = ${siteId}::uuid AND newest.status = 'success' AND newest.bundle IS NOT NULL
          ORDER BY newest.version DESC LIMIT ${kept}::int)`,
      ),
    );
}

/** Which of these prefixes are files of a deployment. */
export async function keptPrefixes(db: Db, prefixes: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ prefix: sql<string>`${deployments.bundle} ->> 'prefix'` })
    .from(deployments)
    .where(
      sql`${deployments.bundle} IS NOT NULL AND ${deployments.bundle} ->> 'prefix' IN (SELECT value FROM jsonb_array_elements_text(${JSON.stringify(prefixes)}::jsonb))`,
    )
    .orderBy(desc(deployments.id));
  return new Set(rows.map(({ prefix }) => prefix));
}
