import { and, desc, eq, sql } from "drizzle-orm";
import { agents, projectAgents } from "#src/db/schema/index.ts";
import { isEntitled } from "#src/domain/organisations/library/index.ts";
import type { Db } from "#src/platform/db/client.ts";

interface Place {
  projectId: string;
  teamId: string;
}

/** Agents that the project's team may use, with the time at which each was added to the project; null for the others. */
export function agentsForProject(db: Db, { projectId, teamId }: Place) {
  return db
    .select({ agent: agents, addedAt: projectAgents.createdAt })
    .from(agents)
    .leftJoin(
      projectAgents,
      and(eq(projectAgents.agentId, agents.id), eq(projectAgents.projectId, projectId)),
    )
    .where(and(eq(agents.isActive, true), isEntitled(sql`${teamId}::uuid`)))
    .orderBy(desc(projectAgents.createdAt), agents.name, agents.id)
    .limit(500);
}

/** Adds an agent to a project; again without an effect. False for an agent that the team may not use. */
export async function insertProjectAgent(
  db: Db,
  { projectId, teamId, agentId }: Place & { agentId: string },
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    INSERT INTO project_agents (project_id, agent_id)
    SELECT ${projectId}::uuid, agents.id FROM agents
    WHERE agents.id = ${agentId}::uuid AND agents.is_active AND ${isEntitled(sql`${teamId}::uuid`)}
    ON CONFLICT (project_id, agent_id) DO UPDATE SET project_id = excluded.project_id
    RETURNING agent_id
  `);
  return rows.length > 0;
}

export async function deleteProjectAgent(
  db: Db,
  { projectId, agentId }: { projectId: string; agentId: string },
): Promise<boolean> {
  const deleted = await db
    .delete(projectAgents)
    .where(and(eq(projectAgents.projectId, projectId), eq(projectAgents.agentId, agentId)))
    .returning({ agentId: projectAgents.agentId });
  return deleted.length > 0;
}
