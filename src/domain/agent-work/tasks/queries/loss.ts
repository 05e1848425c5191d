import { sql, type SQL } from "drizzle-orm";
import { isEntitled } from "#src/domain/organisations/library/index.ts";
import { rolesGranting, teamOfApp } from "#src/domain/access/permissions/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import { isSharedWithTask } from "./shared.ts";
import { STARTING } from "./start.ts";

/**
 * Whether the user who started the task of the row `tasks` could start it now: the account is active, the role in the
 * project suffices, and the chat is the user's own or shared. A key never has superuser rights.
 */
export function hasAccess(): SQL<boolean> {
  const isSuperuser = sql`(person.is_superuser AND tasks.api_key_id IS NULL)`;
  // The tables are named, since a query over one table strips the columns of an expression of theirs.
  return sql<boolean>`(EXISTS (
    SELECT 1 FROM projects JOIN users AS person ON person.id = tasks.user_id
    WHERE projects.id = tasks.project_id AND person.is_active
      AND ${roleInProject({ userId: sql`tasks.user_id`, isSuperuser, teamId: teamOfApp(sql`tasks.api_key_id`) })}
        IN (${sql.join(rolesGranting(STARTING), sql`, `)})
  ) AND EXISTS (
    SELECT 1 FROM chats AS place WHERE place.id = tasks.chat_id
      AND (place.user_id = tasks.user_id OR ${isSharedWithTask(sql`place`)})
  ))`;
}

/** What a task's user or its project's team has lost, so that it may not go on. */
export type Loss = "access_lost" | "agent_lost";

/** SQL value: what is lost for the task of the row `tasks`; null while nothing is. */
export function lossOf(): SQL<Loss | null> {
  return sql<Loss | null>`CASE WHEN NOT ${hasAccess()} THEN 'access_lost' WHEN NOT EXISTS (
    SELECT 1 FROM agents JOIN projects ON projects.id = tasks.project_id
    WHERE agents.id = tasks.agent_id AND ${isEntitled(sql`projects.team_id`)}
  ) THEN 'agent_lost' END`;
}
