import { sql, type SQL } from "drizzle-orm";

/**
 * SQL condition: whether a chat is shared with the people of the project of its task, the row `tasks`. A chat that has moved
 * since is shared with others.
 */
export const isSharedWithTask = (chat: SQL): SQL<boolean> =>
  sql`(${chat}.is_shared AND ${chat}.project_id = tasks.project_id)`;
