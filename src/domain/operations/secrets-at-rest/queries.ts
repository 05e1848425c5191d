import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** A column of Fernet tokens in a table whose rows have an `id`. */
export interface EncryptedColumn {
  table: string;
  column: string;
}

interface StoredToken {
  id: string;
  token: string;
}

/** A page of the column's tokens, by id. */
export async function readTokens(
  db: Db,
  { table, column }: EncryptedColumn,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredToken[]> {
  const { rows } = await db.execute<StoredToken & Record<string, unknown>>(sql`
    SELECT id, ${sql.identifier(column)} AS token FROM ${sql.identifier(table)}
    WHERE ${sql.identifier(column)} IS NOT NULL AND (${after ?? null}::uuid IS NULL OR id > ${after ?? null}::uuid)
    ORDER BY id LIMIT ${limit}::int
  `);
  return rows;
}

/** Returns how many tokens were replaced; a value that has changed in the meantime stays. */
export async function replaceTokens(
  db: Db,
  { table, column }: EncryptedColumn,
  tokens: readonly (StoredToken & { by: string })[],
): Promise<number> {
  const { rowCount } = await db.execute(sql`
    UPDATE ${sql.identifier(table)} AS row SET ${sql.identifier(column)} = renewed.by
    FROM jsonb_to_recordset(${JSON.stringify(tokens)}::jsonb) AS renewed (id uuid, token text, by text)
    WHERE row.id = renewed.id AND row.${sql.identifier(column)} = renewed.token
  `);
  return rowCount;
}
