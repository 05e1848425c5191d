import { and, desc, eq, sql } from "drizzle-orm";
import type { Platform } from "#src/channels/channel.ts";
import { platformIdentities, users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** How a person is reached: the platforms on which the person has set a home, newest first, and the address. */
export async function waysToReach(
  db: Db,
  userId: string,
): Promise<{ platforms: Platform[]; email: string | undefined }> {
  const [homes, people] = await db.batch([
    db
      .select({ platform: platformIdentities.platform })
      .from(platformIdentities)
      .where(
        and(
          eq(platformIdentities.userId, userId),
          platformIdentities.isVerified,
          sql`${platformIdentities.homeChatId} IS NOT NULL`,
        ),
      )
      .orderBy(desc(platformIdentities.pairedAt), desc(platformIdentities.id)),
    db.select({ email: users.email }).from(users).where(eq(users.id, userId)),
  ]);
  return { platforms: [...new Set(homes.map(({ platform }) => platform))], email: people[0]?.email };
}
