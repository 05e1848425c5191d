import { eq, max, sql, type SQL } from "drizzle-orm";
import { deploymentLogs } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Deployment } from "./requests.ts";

/** Most lines of one log; the rest is left out. */
export const MAX_LINES = 5_000;
/** Most characters of a line. */
const MAX_LENGTH = 2_000;

/** Appends lines, numbered on from the last one: a statement of a stage, so no other executor gives the same numbers. */
export function appendLines(db: Db, isHeld: SQL<boolean>, { id }: Deployment, lines: readonly string[]) {
  const texts = JSON.stringify(lines.map((line) => line.slice(0, MAX_LENGTH)));
  return db.execute(sql`
    INSERT INTO deployment_logs (deployment_id, line, text)
    SELECT d.id, last.line + added.place, added.text
    FROM deployments d,
      (SELECT coalesce(max(line), 0) AS line FROM deployment_logs WHERE deployment_id = ${id}::uuid) AS last,
      jsonb_array_elements_text(${texts}::jsonb) WITH ORDINALITY AS added(text, place)
    WHERE d.id = ${id}::uuid AND ${isHeld} AND last.line + added.place <= ${MAX_LINES}::int
  `);
}

/** The number of a log's last line; 0 for an empty log. */
export async function lastLineOf(db: Db, deploymentId: string): Promise<number> {
  const [row] = await db
    .select({ line: max(deploymentLogs.line) })
    .from(deploymentLogs)
    .where(eq(deploymentLogs.deploymentId, deploymentId));
  return row?.line ?? 0;
}
