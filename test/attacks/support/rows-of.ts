import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** Every row of the database in which a column is one of these names, as text behind the name of its table. */
export async function rowsOf(db: Db, names: readonly string[]): Promise<string[]> {
  const { rows: tables } = await db.execute(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await db.execute(sql`
        SELECT to_jsonb(each)::text AS row FROM ${sql.identifier(String(name))} AS each
        WHERE EXISTS (SELECT FROM jsonb_each_text(to_jsonb(each)) AS field WHERE field.value IN ${names})`);
      return rows.map(({ row }) => `${String(name)}: ${String(row)}`);
    }),
  );
  return found.flat().toSorted();
}
