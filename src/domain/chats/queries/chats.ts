import { and, count, desc, eq, ne, notExists, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { chats, messages, projects } from "#src/db/schema/index.ts";
import { roleInProject, type Somebody } from "#src/domain/projects/index.ts";
import type { Origin } from "#src/domain/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Chat = typeof chats.$inferSelect;
export type ChatState = "active" | "running" | "waiting_approval" | "completed" | "archived";

/** A chat with what it is at the moment. */
export type ChatView = Chat & { state: ChatState };

/** Stored is only whether a chat was put away; the rest its tasks and their questions tell. Of the row `chats`. */
const state = sql<ChatState>`CASE
  WHEN chats.status = 'archived' THEN 'archived'
  WHEN EXISTS (
    SELECT 1 FROM tasks t JOIN approvals a ON a.task_id = t.id
    WHERE t.chat_id = chats.id AND t.status = 'running' AND a.response IS NULL AND a.expires_at > now()
  ) THEN 'waiting_approval'
  WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.chat_id = chats.id AND t.status IN ('queued', 'running')) THEN 'running'
  WHEN (SELECT t.status FROM tasks t WHERE t.chat_id = chats.id ORDER BY t.seq DESC LIMIT 1) = 'completed' THEN 'completed'
  ELSE 'active' END`;

/** When somebody last used a chat. */
const usedAt = sql`coalesce(chats.updated_at, chats.created_at)`;

/** A chat, its project, and what somebody is there (null for a stranger). */
export function chatWithRole(db: Db, id: string, somebody: Somebody) {
  return db
    .select({
      chat: chats,
      state,
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject(somebody),
    })
    .from(chats)
    .innerJoin(projects, eq(projects.id, chats.projectId))
    .where(eq(chats.id, id));
}

/** Which chats are meant: of somebody, in the projects of a team, in some projects, in one. */
export interface ChatFilter {
  somebody: Somebody & { userId: string };
  teamId?: string | undefined;
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  origin?: string | undefined;
}

/** Somebody's own chats in projects in which they still have a part; the last used first. */
export async function chatsOf(db: Db, filter: ChatFilter, page: { limit: number; offset: number }) {
  const rows = await db
    .select({ chat: chats, state, projectName: projects.name, messageCount: messageCount(db) })
    .from(chats)
    .innerJoin(projects, eq(projects.id, chats.projectId))
    .where(whereOf(filter))
    .orderBy(desc(usedAt), desc(chats.id))
    .limit(page.limit)
    .offset(page.offset);
  return rows.map(({ chat, state: now, ...rest }) => ({ ...chat, ...rest, state: now }));
}

/** How many there are of them. */
export async function countChats(db: Db, filter: ChatFilter): Promise<number> {
  const [row] = await db.select({ total: count() }).from(chats).where(whereOf(filter));
  return row?.total ?? 0;
}

function whereOf(filter: ChatFilter): SQL | undefined {
  return and(
    eq(chats.userId, filter.somebody.userId),
    sql`chats.project_id = ANY (ARRAY(${reachableProjects(filter)}))`,
    filter.origin === undefined ? undefined : eq(chats.origin, filter.origin),
  );
}

/**
 * Projects in which somebody has chats and still has a part. The role is asked once for each of them; joined to the chats, the
 * projects would be read as many times, or all those of a team at once.
 */
function reachableProjects({ somebody, teamId, projectIds, projectId }: ChatFilter): SQL {
  const only = [
    sql`own.user_id = ${somebody.userId}::uuid`,
    ...(projectId === undefined ? [] : [sql`own.project_id = ${projectId}::uuid`]),
    ...(projectIds === undefined
      ? []
      : [
          sql`own.project_id IN (SELECT value::uuid FROM jsonb_array_elements_text(${JSON.stringify(projectIds)}::jsonb) AS value)`,
        ]),
  ];
  return sql`
    SELECT of_chats.project_id
    FROM (SELECT DISTINCT own.project_id FROM chats AS own WHERE ${sql.join(only, sql` AND `)}) AS of_chats
    WHERE EXISTS (
      SELECT FROM projects
      WHERE projects.id = of_chats.project_id AND ${roleInProject(somebody)} IS NOT NULL
        ${teamId === undefined ? sql`` : sql`AND projects.team_id = ${teamId}::uuid`}
      OFFSET 0
    )`;
}

function messageCount(db: Db): SQL<number> {
  const counted = db
    .select({ count: count() })
    .from(messages)
    .where(sql`${messages.chatId} = chats.id`);
  return sql<number>`(${counted})`.mapWith(Number);
}

/**
 * The chat that is meant where none is named: of those of an origin that somebody has in a project and did not put away, the
 * one last used. `insertTask` chooses by the same rule.
 */
export async function latestChat(
  db: Db,
  userId: string,
  projectId: string,
  origin: Origin,
): Promise<Chat | undefined> {
  const [chat] = await db
    .select()
    .from(chats)
    .where(
      and(
        eq(chats.userId, userId),
        eq(chats.projectId, projectId),
        eq(chats.origin, origin),
        eq(chats.status, "active"),
      ),
    )
    .orderBy(desc(usedAt), desc(chats.id))
    .limit(1);
  return chat;
}

export async function insertChat(db: Db, chat: typeof chats.$inferInsert): Promise<Chat> {
  const [made] = await db.insert(chats).values(chat).returning();
  if (!made) throw new Error("The chat was not made");
  return made;
}

/** What is absent stays as it is. */
export type ChatChange = {
  [
    Field in
      | "title"
      | "status"
      | "agentId"
      | "model"
      | "editMode"
      | "isTitled"
      | "projectId"
      | "allowedTools"
      | "origin"
  ]?: Chat[Field] | undefined;
};

/** Change a chat; no row for one that is gone, or where the agent is none that its team may use. */
export async function updateChatRow(db: Db, id: string, change: ChatChange): Promise<Chat | undefined> {
  const { agentId } = change;
  const [changed] = await db
    .update(chats)
    .set({ ...change, updatedAt: sql`now()` })
    .where(
      and(
        eq(chats.id, id),
        agentId == null
          ? undefined
          : sql`EXISTS (SELECT 1 FROM agents a WHERE a.id = ${agentId}::uuid AND a.is_active AND (a.team_id IS NULL
              OR a.team_id = (SELECT team_id FROM projects WHERE projects.id = chats.project_id)))`,
      ),
    )
    .returning();
  return changed;
}

/** Whether its user has no other chat in the project. */
export async function isLastChat(db: Db, chat: Pick<Chat, "id" | "userId" | "projectId">): Promise<boolean> {
  const others = await db
    .select({ id: chats.id })
    .from(chats)
    .where(and(eq(chats.userId, chat.userId), eq(chats.projectId, chat.projectId), ne(chats.id, chat.id)))
    .limit(1);
  return others.length === 0;
}

/**
 * Delete a chat unless it is its user's last one in the project. The project is held, so that of two that are deleted at once one
 * stays.
 */
export async function deleteChatRow(
  db: Db,
  chat: Pick<Chat, "id" | "userId" | "projectId">,
): Promise<boolean> {
  const [, deleted] = await db.batch([
    db.select({ id: projects.id }).from(projects).where(eq(projects.id, chat.projectId)).for("no key update"),
    db
      .delete(chats)
      .where(
        and(
          eq(chats.id, chat.id),
          sql`EXISTS (SELECT 1 FROM chats other WHERE other.project_id = chats.project_id
            AND other.user_id = chats.user_id AND other.id <> chats.id)`,
        ),
      )
      .returning({ id: chats.id }),
  ]);
  return deleted.length > 0;
}

/** The project that takes somebody's chats that are about none; no row where there is none yet. */
export function defaultWorkspaceOf(db: Db, somebody: Somebody & { userId: string }, teamId: string | null) {
  return db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        eq(projects.ownerId, somebody.userId),
        sql`${projects.settings} ->> 'default_workspace' = 'true'`,
        teamId === null ? undefined : eq(projects.teamId, teamId),
        sql`${roleInProject(somebody)} IS NOT NULL`,
      ),
    )
    .orderBy(projects.id)
    .limit(1);
}

/**
 * Let a project that was just made be somebody's default workspace. Those who do so at once wait for one another: the first
 * one's is, and a later one's, in which nothing is yet, goes.
 */
export async function settleDefaultWorkspace(
  db: Db,
  projectId: string,
  somebody: Somebody & { userId: string },
  teamId: string | null,
): Promise<string | undefined> {
  const [, , , [settled]] = await db.batch([
    lockNames(db, [`default workspace of ${somebody.userId}`]),
    db
      .update(projects)
      .set({ settings: sql`${projects.settings} || '{"default_workspace": true}'::jsonb` })
      .where(and(eq(projects.id, projectId), notExists(defaultWorkspaceOf(db, somebody, teamId)))),
    db
      .delete(projects)
      .where(
        and(
          eq(projects.id, projectId),
          sql`${projects.settings} ->> 'default_workspace' IS DISTINCT FROM 'true'`,
        ),
      ),
    defaultWorkspaceOf(db, somebody, teamId),
  ]);
  return settled?.id;
}
