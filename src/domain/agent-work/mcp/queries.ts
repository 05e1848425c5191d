import { and, asc, eq, like, sql } from "drizzle-orm";
import { mcpServers, type McpTool } from "#src/db/schema/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { resetting, type StoredClient } from "./queries/authorizations.ts";
import { audit, share, type Entry } from "./queries/entries.ts";
import { mailToOwners } from "./queries/owners.ts";
import { roleFor } from "./queries/role.ts";

export type McpServer = typeof mcpServers.$inferSelect;
export type NewMcpServer = Omit<typeof mcpServers.$inferInsert, "createdAt" | "updatedAt" | "stateSince">;

/** Fields that are undefined stay as they are. */
export type McpServerChange = {
  [Field in "name" | "url" | "auth" | "encryptedHeaders" | "rules" | "tools" | "notes" | "neededScope"]?:
    | McpServer[Field]
    | undefined;
};

/** Names of servers are unique for their owner. */
export const UNIQUE_NAMES = [
  "mcp_servers_user_name_unique",
  "mcp_servers_team_name_unique",
  "mcp_servers_project_name_unique",
];

/** The team whose log a change is in; null for the personal one. */
const logTeam = sql<string | null>`coalesce(mcp_servers.team_id,
  (SELECT p.team_id FROM projects AS p WHERE p.id = mcp_servers.project_id))`;

const found = (userId: string) => ({ server: mcpServers, role: roleFor(userId), logTeamId: logTeam });

/** A server with the reader's role. */
export interface FoundServer {
  server: McpServer;
  role: Role | null;
  logTeamId: string | null;
}

export async function serverWithRole(db: Db, userId: string, id: string): Promise<FoundServer | undefined> {
  const [row] = await db.select(found(userId)).from(mcpServers).where(eq(mcpServers.id, id));
  return row;
}

/** The servers that a person can see, oldest first; of one project: those that agents there may use. */
export function visibleServers(
  db: Db,
  userId: string,
  projectId: string | undefined,
): Promise<FoundServer[]> {
  const mine = sql`SELECT m.team_id FROM team_memberships AS m WHERE m.user_id = ${userId}::uuid`;
  const ofProject = projectId
    ? sql`(${mcpServers.userId} = ${userId}::uuid OR ${mcpServers.projectId} = ${projectId}::uuid
        OR ${mcpServers.teamId} = (SELECT p.team_id FROM projects AS p WHERE p.id = ${projectId}::uuid))`
    : sql`(${mcpServers.userId} = ${userId}::uuid OR ${mcpServers.teamId} IN (${mine})
        OR ${mcpServers.projectId} IN (
          SELECT p.id FROM projects AS p WHERE p.team_id IN (${mine})
          UNION SELECT pm.project_id FROM project_memberships AS pm WHERE pm.user_id = ${userId}::uuid))`;
  return db
    .select(found(userId))
    .from(mcpServers)
    .where(and(ofProject, sql`${roleFor(userId)} IS NOT NULL`))
    .orderBy(asc(mcpServers.id));
}

/** The stdio servers of a project that somebody has allowed. */
export function stdioServersOf(db: Db, projectId: string): Promise<McpServer[]> {
  return db
    .select()
    .from(mcpServers)
    .where(and(eq(mcpServers.projectId, projectId), like(mcpServers.url, "stdio:%")));
}

/**
 * SQL value: the servers that the agent of the row `tasks` may use, in the row `projects` of its project: those of its person, of
 * the project, and of the project's team while the person is a member of it.
 */
export const serversOfTask = sql<ServerOfTask[]>`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'url', s.url, 'projectId', s.project_id, 'auth', s.auth,
    'encryptedHeaders', s.encrypted_headers, 'rules', s.rules, 'tools', s.tools, 'state', s.state) ORDER BY s.id)
  FROM mcp_servers AS s
  WHERE s.user_id = tasks.user_id OR s.project_id = tasks.project_id
    OR (s.team_id = projects.team_id AND EXISTS (
      SELECT FROM team_memberships AS m WHERE m.team_id = s.team_id AND m.user_id = tasks.user_id))
), '[]'::jsonb)`;

/** A server as a step of a task uses it. */
export type ServerOfTask = Pick<
  McpServer,
  "id" | "name" | "url" | "projectId" | "auth" | "encryptedHeaders" | "rules" | "tools" | "state"
>;

type Ceilings = "mcp_servers_of_person" | "mcp_servers_of_team" | "mcp_servers_of_project";

export interface LimitedDb {
  db: Db;
  config: CeilingConfig<Ceilings>;
}

/**
 * Stores a server, with `client` as the client of its OAuth. Throws the refusal of its owner's ceiling, and fails on `UNIQUE_NAMES`
 * for a taken name.
 */
export async function insertServer(
  { db, config }: LimitedDb,
  server: NewMcpServer,
  entry: Entry,
  client?: StoredClient,
): Promise<McpServer> {
  const { scope, name } = server;
  const { origin, pathname, protocol, href } = new URL(server.url);
  const address = protocol === "stdio:" ? href : origin + pathname;
  const owner = server.userId ?? server.teamId ?? server.projectId ?? "";
  const [, , , [row]] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: `mcp_servers_of_${scope}`, owner }]),
      share(db, entry),
      db.insert(mcpServers).values(server).returning(),
      audit(db, entry, server, "mcp_server.created", { name, scope, url: address }),
      ...(client ? resetting(db, server.id, client) : []),
    ]),
  );
  if (!row) throw new Error("The server was not stored");
  return row;
}

/**
 * Changes a server, with an entry that names `fields` but no value; with `reset` its authorization ends, and this is the client of
 * the next one. Undefined, and nothing, for a server that is gone, or has been moved or given other secrets since it was `seen`: the
 * secrets of one address would be sent to the other.
 */
export async function changeServer(
  db: Db,
  seen: Pick<McpServer, "id" | "projectId" | "url" | "auth" | "encryptedHeaders">,
  {
    change,
    fields,
    reset,
  }: { change: McpServerChange; fields: readonly string[]; reset?: StoredClient | undefined },
  entry: Entry,
): Promise<McpServer | undefined> {
  const { id } = seen;
  const isAsSeen = sql`EXISTS (SELECT FROM mcp_servers AS s WHERE s.id = ${id}::uuid AND s.url = ${seen.url}::text
    AND s.auth = ${seen.auth}::text AND s.encrypted_headers IS NOT DISTINCT FROM ${seen.encryptedHeaders}::text)`;
  const next = reset ?? { client: null, encryptedClientSecret: null };
  const [, , , , , [row]] = await db.batch([
    share(db, entry),
    // What follows finds the row as it is under this lock.
    db.execute(sql`SELECT FROM mcp_servers WHERE id = ${id}::uuid FOR NO KEY UPDATE`),
    audit(db, entry, seen, "mcp_server.updated", { fields }, isAsSeen),
    ...resetting(db, id, next, reset ? isAsSeen : sql`false`),
    db
      .update(mcpServers)
      .set({ ...change, updatedAt: sql`now()` })
      .where(and(eq(mcpServers.id, id), isAsSeen))
      .returning(),
  ]);
  return row;
}

export async function removeServer(
  db: Db,
  { id, projectId, name }: Pick<McpServer, "id" | "projectId" | "name">,
  entry: Entry,
): Promise<boolean> {
  const [, , gone] = await db.batch([
    share(db, entry),
    audit(
      db,
      entry,
      { id, projectId },
      "mcp_server.deleted",
      { name },
      sql`EXISTS (SELECT 1 FROM ${mcpServers} WHERE ${mcpServers.id} = ${id}::uuid)`,
    ),
    db.delete(mcpServers).where(eq(mcpServers.id, id)).returning({ id: mcpServers.id }),
  ]);
  return gone.length > 0;
}

/** How a server was found. */
export interface ServerOutcome {
  state: McpServer["state"];
  lastError: string | null;
  /** Undefined leaves them. */
  tools?: McpTool[] | undefined;
  notes?: string[] | undefined;
  /** Scopes that the server has asked for. */
  neededScope?: string | undefined;
}

/**
 * Stores how a server was found. One that has asked for more scopes needs authorization until it has them, also while it can be
 * connected to. With `seen`, only if it still is where it was found, with the tools that were compared: what its
 * owner has changed meanwhile stays. With `tellsOwners`, they are told by mail if it needs authorization since now.
 */
export async function storeOutcome(
  db: Db,
  { id, url }: Pick<McpServer, "id" | "url">,
  { state, lastError, tools, notes, neededScope }: ServerOutcome,
  { seen, tellsOwners = false }: { seen?: readonly McpTool[] | undefined; tellsOwners?: boolean } = {},
): Promise<McpServer | undefined> {
  const stays = sql`(${mcpServers.neededScope} IS NOT NULL AND ${state}::text = 'connected')`;
  const storing = db
    .update(mcpServers)
    .set({
      state: sql`CASE WHEN ${stays} THEN ${mcpServers.state} ELSE ${state} END`,
      lastError: sql`CASE WHEN ${stays} THEN ${mcpServers.lastError} ELSE ${lastError} END`,
      ...(tools && { tools }),
      ...(notes && { notes }),
      ...(neededScope !== undefined && { neededScope }),
      stateSince: sql`CASE WHEN ${stays} OR ${mcpServers.state} = ${state} THEN ${mcpServers.stateSince} ELSE now() END`,
    })
    .where(
      and(
        eq(mcpServers.id, id),
        eq(mcpServers.url, url),
        seen && sql`${mcpServers.tools} = ${JSON.stringify(seen)}::jsonb`,
      ),
    )
    .returning();
  const isNeed = tellsOwners && state === "needs_authorization";
  const [[row]] = isNeed ? await db.batch([storing, db.execute(mailToOwners(id))]) : [await storing];
  return row;
}
