import { sql, type SQL } from "drizzle-orm";
import { getsMails } from "#src/domain/operations/mail/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeJobs } from "#src/work/queries.ts";
import { ownersDue } from "../due.ts";

/** Most people who are told of one server. */
const MOST_OWNERS = 10;

/** Stores the job that tells a server's owners, if this transaction has found that it needs authorization. */
export function mailToOwners(serverId: string): SQL {
  return storeJobs(
    ownersDue,
    sql`FROM mcp_servers WHERE id = ${serverId}::uuid AND state = 'needs_authorization'
      AND state_since = now()::timestamptz(3)`,
    { key: sql`id`, payload: { serverId: sql`id` } },
  );
}

/**
 * Who is told that a server needs authorization: its person, the administrators of its team, or the owner of its project, if
 * they want mails about tasks. Nobody once it is authorized.
 */
export async function ownersToMail(db: Db, serverId: string): Promise<{ name: string; email: string }[]> {
  const { rows } = await db.execute<{ name: string; email: string }>(sql`
    SELECT server.name, person.email FROM mcp_servers AS server JOIN users AS person ON person.id IN (
      SELECT server.user_id
      UNION SELECT m.user_id FROM team_memberships AS m WHERE m.team_id = server.team_id AND m.role = 'admin'
      UNION SELECT p.owner_id FROM projects AS p WHERE p.id = server.project_id)
    WHERE server.id = ${serverId}::uuid AND server.state = 'needs_authorization' AND ${getsMails(sql`person`)}
    ORDER BY person.id LIMIT ${MOST_OWNERS}`);
  return rows;
}
