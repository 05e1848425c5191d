import { and, eq, gt, sql } from "drizzle-orm";
import { channelSessions } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** How many of a person's sessions had a message within so many minutes. */
export function recentSessions(db: Db, userId: string, minutes: number): Promise<number> {
  return db.$count(
    channelSessions,
    and(
      eq(channelSessions.userId, userId),
      gt(channelSessions.lastActiveAt, sql`now() - make_interval(mins => ${minutes})`),
    ),
  );
}
