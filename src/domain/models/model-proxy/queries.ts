import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { userApiKeys } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Providers for which a person has an unexpired key. */
export function providersWithKey(db: Db, userId: string) {
  return db
    .selectDistinct({ provider: userApiKeys.provider })
    .from(userApiKeys)
    .where(
      and(
        eq(userApiKeys.userId, userId),
        eq(userApiKeys.isActive, true),
        or(isNull(userApiKeys.expiresAt), gt(userApiKeys.expiresAt, sql`now()`)),
      ),
    );
}
