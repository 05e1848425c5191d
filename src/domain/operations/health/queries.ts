import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

export async function selectOne(db: Db): Promise<void> {
  await db.execute(sql`SELECT 1`);
}
