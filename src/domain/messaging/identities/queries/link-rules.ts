import { sql, type SQL } from "drizzle-orm";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";

/**
 * SQL condition: the link of the row `link` counts in the channel of the row `channel_configs`. It counts where its code was
 * entered, and in the same owner's other channels of the platform, if both shared links before it was made.
 */
export const linkCounts = sql`(link.is_verified AND (link.channel_config_id = channel_configs.id OR EXISTS (
  SELECT 1 FROM channel_configs AS entered
  WHERE entered.id = link.channel_config_id AND entered.is_active AND entered.user_id = channel_configs.user_id
    AND entered.channel_type = channel_configs.channel_type
    AND entered.links_shared_since < link.paired_at AND channel_configs.links_shared_since < link.paired_at)))`;

/** SQL condition: a link of this person's with this id counts in the channel of the row `channel_configs`. */
function hasLink(userId: string | SQL, identityId: string | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM platform_identities AS link
    WHERE link.id = ${identityId}::uuid AND link.user_id = ${userId}::uuid AND ${linkCounts})`;
}

/**
 * SQL condition: what is about this project may go through the channel of the row `channel_configs` to this person. Through
 * an own channel all may. Another person's channel carries only what is about its own project, and only while the person has
 * a role there: its owner reads what goes through it.
 */
export function carries(userId: string | SQL, projectId: string | SQL): SQL {
  return sql`(channel_configs.user_id = ${userId}::uuid OR (channel_configs.project_id = ${projectId}::uuid AND EXISTS (
    SELECT 1 FROM projects WHERE projects.id = channel_configs.project_id
      AND ${roleInProject({ userId, isSuperuser: false })} IS NOT NULL)))`;
}

/** Of whom a message is, and what it is about. */
export interface Carried {
  userId: string | SQL;
  /** Null for what is about no project: an answer to a command. */
  projectId: string | SQL;
  /** The link that must count; null for a chat that the person chose in an own channel. */
  identityId: string | SQL;
}

/**
 * SQL condition: the person may be written to, and write, through the channel of the row `channel_configs`. It is asked when
 * a target is stored, and again at each message. At the command line the key is the identity, and there is no link.
 */
export function mayWrite({ userId, projectId, identityId }: Carried): SQL {
  return sql`((channel_configs.channel_type = 'cli' OR ${hasLink(userId, identityId)}
      OR (${identityId}::uuid IS NULL AND channel_configs.user_id = ${userId}::uuid))
    AND (${projectId}::uuid IS NULL OR ${carries(userId, projectId)}))`;
}
