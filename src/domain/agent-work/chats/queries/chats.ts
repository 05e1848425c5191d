import { and, count, desc, eq, ne, notExists, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { chats, messages, projects } from "#src/db/schema/index.ts";
import { isEntitled } from "#src/domain/organisations/library/index.ts";
import { roleInProject, type Person, type Viewer } from "#src/domain/workspaces/projects/index.ts";
import type { TaskOrigin } from "#src/domain/agent-work/tasks/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { roleBesides } from "./role-besides.ts";

export type Chat = typeof chats.$inferSelect;
export type ChatState = "active" | "running" | "waiting_approval" | "completed" | "archived";

/** A chat with its current state. */
export type ChatView = Chat & { state: ChatState };

/**
 * The state of the row `chats`. Only whether a chat is archived is stored; the rest follows from its tasks and their
 * approvals.
 */
const state = sql<ChatState>`CASE
  WHEN chats.status = 'archived' THEN 'archived'
  WHEN EXISTS (
    SELECT 1 FROM tasks t JOIN approvals a ON a.task_id = t.id
    WHERE t.chat_id = chats.id AND t.status = 'running' AND a.response IS NULL AND a.expires_at > now()
  ) THEN 'waiting_approval'
  WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.chat_id = chats.id AND t.status IN ('queued', 'running')) THEN 'running'
  WHEN (SELECT t.status FROM tasks t WHERE t.chat_id = chats.id ORDER BY t.seq DESC LIMIT 1) = 'completed' THEN 'completed'
  ELSE 'active' END`;

/** When a person last used a chat. */
const usedAt = sql`coalesce(chats.updated_at, chats.created_at)`;

/** A chat, its project, and a person's role there (null for none). Superusers see the chats of others as members do. */
export function chatWithRole(db: Db, id: string, viewer: Person) {
  return db
    .select({
      chat: chats,
      state,
      project: { id: projects.id },
      role: roleBesides(sql`chats.user_id`, viewer),
    })
    .from(chats)
    .innerJoin(projects, eq(projects.id, chats.projectId))
    .where(eq(chats.id, id));
}

/** Selects chats: of a person, in some projects, or in one. */
export interface ChatFilter {
  viewer: Viewer & { userId: string };
  /** Also the chats that others share in projects of which the person is a member. */
  withShared?: boolean | undefined;
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  origin?: string | undefined;
}

/** A chat as lists have it, with the name of who began it if that is another person. */
export type ListedRow = ChatView & { projectName: string; ownerName: string | null; messageCount: number };

/** Chats that match the filter, in projects that the person can still see, last used first. */
export async function chatsOf(
  db: Db,
  filter: ChatFilter,
  page: { limit: number; offset: number },
): Promise<ListedRow[]> {
  const rows = await db
    .select({
      chat: chats,
      state,
      projectName: projects.name,
      // Read for the chats of others alone.
      ownerName: sql<string | null>`CASE WHEN chats.user_id <> ${filter.viewer.userId}::uuid THEN (
        SELECT owner.name FROM users AS owner WHERE owner.id = chats.user_id) END`,
      messageCount: messageCount(db),
    })
    .from(chats)
    .innerJoin(projects, eq(projects.id, chats.projectId))
    .where(whereOf(filter))
    .orderBy(desc(usedAt), desc(chats.id))
    .limit(page.limit)
    .offset(page.offset);
  return rows.map(({ chat, state: now, ...rest }) => ({ ...chat, ...rest, state: now }));
}

/** The number of a person's chats that match the filter. */
export async function countChats(db: Db, filter: ChatFilter): Promise<number> {
  const [row] = await db.select({ total: count() }).from(chats).where(whereOf(filter));
  return row?.total ?? 0;
}

function whereOf(filter: ChatFilter): SQL | undefined {
  return and(isListed(filter), filter.origin === undefined ? undefined : eq(chats.origin, filter.origin));
}

/** SQL condition: whether the row `chats` is one of a person's, or with them one that others share with the person. */
export function isListed(filter: ChatFilter): SQL {
  const { userId } = filter.viewer;
  const own = sql`(chats.user_id = ${userId}::uuid AND chats.project_id = ANY (ARRAY(${reachableProjects(filter)})))`;
  if (!filter.withShared) return own;
  return sql`(${own} OR (chats.is_shared AND chats.user_id <> ${userId}::uuid
    AND chats.project_id = ANY (ARRAY(${sharingProjects(filter)}))))`;
}

/**
 * Projects in which a person has chats and still has a role. The role is looked up once for each project. A join with the
 * chats would read a project once per chat, or all projects of a team.
 */
function reachableProjects({ viewer, projectIds, projectId }: ChatFilter): SQL {
  const only = [
    sql`own.user_id = ${viewer.userId}::uuid`,
    ...within(sql`own.project_id`, { projectIds, projectId }),
  ];
  return sql`
    SELECT of_chats.project_id
    FROM (SELECT DISTINCT own.project_id FROM chats AS own WHERE ${sql.join(only, sql` AND `)}) AS of_chats
    WHERE EXISTS (
      SELECT FROM projects
      WHERE projects.id = of_chats.project_id AND ${roleInProject(viewer)} IS NOT NULL
      OFFSET 0
    )`;
}

/**
 * Projects in which others share chats and a person has a role as a member. The projects of the person's teams are found first,
 * then those with shared chats by their index, and the role is looked up for those.
 */
function sharingProjects({ viewer, ...filter }: ChatFilter): SQL {
  const { userId } = viewer;
  const wanted = [
    sql`of_person.id IN (
        SELECT in_team.id FROM team_memberships AS part JOIN projects AS in_team ON in_team.team_id = part.team_id
        WHERE part.user_id = ${userId}::uuid
        UNION SELECT part.project_id FROM project_memberships AS part WHERE part.user_id = ${userId}::uuid
      )`,
    ...within(sql`of_person.id`, filter),
    sql`EXISTS (SELECT FROM chats AS shared WHERE shared.project_id = of_person.id AND shared.is_shared)`,
  ];
  // Without OFFSET the planner would look up the role before it looks for shared chats.
  return sql`
    SELECT projects.id FROM (
      SELECT of_person.* FROM projects AS of_person WHERE ${sql.join(wanted, sql` AND `)} OFFSET 0
    ) AS projects
    WHERE ${roleInProject({ ...viewer, isSuperuser: false })} IS NOT NULL`;
}

/** Conditions on the column of a project's id: one project, or some. */
function within(column: SQL, { projectIds, projectId }: Pick<ChatFilter, "projectIds" | "projectId">): SQL[] {
  const ids = JSON.stringify(projectIds);
  return [
    ...(projectId === undefined ? [] : [sql`${column} = ${projectId}::uuid`]),
    ...(projectIds === undefined
      ? []
      : [sql`${column} IN (SELECT value::uuid FROM jsonb_array_elements_text(${ids}::jsonb) AS value)`]),
  ];
}

function messageCount(db: Db): SQL<number> {
  const counted = db
    .select({ count: count() })
    .from(messages)
    .where(sql`${messages.chatId} = chats.id`);
  return sql<number>`(${counted})`.mapWith(Number);
}

/**
 * The default chat: the last used one of a person's chats in a project that have this origin and are not archived.
 * `insertTask` uses the same rule.
 */
export async function latestChat(
  db: Db,
  userId: string,
  projectId: string,
  origin: TaskOrigin,
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

/** Stores a chat without a message. Throws the refusal of the ceiling on chats. */
export async function insertEmptyChat(
  { db, config }: { db: Db; config: CeilingConfig<"chats"> },
  chat: typeof chats.$inferInsert,
): Promise<Chat> {
  const room = roomFor(db, config, [{ ceiling: "chats", owner: chat.userId }]);
  const [, , [made]] = await whileThereIsRoom(db.batch([...room, db.insert(chats).values(chat).returning()]));
  if (!made) throw new Error("The chat was not made");
  return made;
}

/** Stores a chat for a message that is about to be sent. */
export async function insertChat(db: Db, chat: typeof chats.$inferInsert): Promise<Chat> {
  const [made] = await db.insert(chats).values(chat).returning();
  if (!made) throw new Error("The chat was not made");
  return made;
}

/** Absent fields stay as they are. */
export type ChatChange = {
  [
    Field in
      | "title"
      | "status"
      | "agentId"
      | "model"
      | "editMode"
      | "isTitled"
      | "isShared"
      | "projectId"
      | "allowedTools"
      | "origin"
  ]?: Chat[Field] | undefined;
};

/** Changes a chat. No row when the chat is deleted, or when its team cannot use the agent. */
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
          : sql`EXISTS (SELECT 1 FROM agents JOIN projects ON projects.id = chats.project_id
              WHERE agents.id = ${agentId}::uuid AND agents.is_active AND ${isEntitled(sql`projects.team_id`)})`,
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
 * Deletes a chat unless it is its user's last one in the project. The project is locked, so that two concurrent deletions
 * leave one chat.
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

/** A person's default workspace; no row when there is none yet. */
export function defaultWorkspaceOf(db: Db, viewer: Viewer & { userId: string }, teamId: string | null) {
  return db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        eq(projects.ownerId, viewer.userId),
        sql`${projects.settings} ->> 'default_workspace' = 'true'`,
        teamId === null ? undefined : eq(projects.teamId, teamId),
        sql`${roleInProject(viewer)} IS NOT NULL`,
      ),
    )
    .orderBy(projects.id)
    .limit(1);
}

/**
 * Makes a new project the person's default workspace. Concurrent calls are serialised: the first one wins, and a later
 * one's project, which is empty, is deleted.
 */
export async function settleDefaultWorkspace(
  db: Db,
  projectId: string,
  viewer: Viewer & { userId: string },
  teamId: string | null,
): Promise<string | undefined> {
  const [, , , [settled]] = await db.batch([
    lockNames(db, [`default workspace of ${viewer.userId}`]),
    db
      .update(projects)
      .set({ settings: sql`${projects.settings} || '{"default_workspace": true}'::jsonb` })
      .where(and(eq(projects.id, projectId), notExists(defaultWorkspaceOf(db, viewer, teamId)))),
    db
      .delete(projects)
      .where(
        and(
          eq(projects.id, projectId),
          sql`${projects.settings} ->> 'default_workspace' IS DISTINCT FROM 'true'`,
        ),
      ),
    defaultWorkspaceOf(db, viewer, teamId),
  ]);
  return settled?.id;
}
