import { and, asc, count, eq, isNull, or, sql } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { agentModels, agents } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Agent = typeof agents.$inferSelect;
export type AgentValues = Pick<Agent, "slug" | "name" | "description" | "systemPrompt" | "model" | "tools">;

/** The service's own agents, and those of a team. */
const visible = (teamId: string) =>
  and(eq(agents.isActive, true), or(isNull(agents.teamId), eq(agents.teamId, teamId)));

/** Agents that a team can use, the service's own first. */
export function agentsOfTeam(db: Db, teamId: string): Promise<Agent[]> {
  return db
    .select()
    .from(agents)
    .where(visible(teamId))
    .orderBy(sql`${agents.teamId} NULLS FIRST`, asc(agents.createdAt), asc(agents.id));
}

export async function visibleAgent(db: Db, teamId: string, id: string): Promise<Agent | undefined> {
  const [row] = await db
    .select()
    .from(agents)
    .where(and(visible(teamId), eq(agents.id, id)));
  return row;
}

/** Models that a person chose for the service's own agents, by agent. */
export async function modelChoices(db: Db, userId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.select().from(agentModels).where(eq(agentModels.userId, userId));
  return new Map(rows.map(({ agentId, model }) => [agentId, model]));
}

/** Chooses a model for one of the service's own agents; null resets the choice. */
export async function chooseModelOf(
  db: Db,
  { userId, agentId, model }: { userId: string; agentId: string; model: string | null },
): Promise<void> {
  if (model === null) {
    await db.delete(agentModels).where(and(eq(agentModels.userId, userId), eq(agentModels.agentId, agentId)));
    return;
  }
  await db
    .insert(agentModels)
    .values({ userId, agentId, model })
    .onConflictDoUpdate({ target: [agentModels.userId, agentModels.agentId], set: { model } });
}

export async function countAgents(db: Db, teamId: string): Promise<number> {
  const [row] = await db
    .select({ active: count() })
    .from(agents)
    .where(and(eq(agents.teamId, teamId), eq(agents.isActive, true)));
  return row?.active ?? 0;
}

/** Fails on `agents_slug_unique` if another agent of the team has the slug. */
export async function insertAgent(
  db: Db,
  agent: AgentValues & { id: string; teamId: string; createdBy: string },
  entry: AuditEntry,
): Promise<Agent | undefined> {
  const [, [made]] = await db.batch([
    shareTeam(db, agent.teamId),
    db.insert(agents).values(agent).returning(),
    insertAuditEntry(db, entry),
  ]);
  return made;
}

/** Changes or deletes an agent of a team. Fails as `insertAgent` does. */
export async function updateAgentRow(
  db: Db,
  { teamId, id }: { teamId: string; id: string },
  change: Partial<AgentValues> & { isActive?: false },
  entry: AuditEntry,
): Promise<Agent | undefined> {
  const which = and(eq(agents.id, id), eq(agents.teamId, teamId), eq(agents.isActive, true));
  const [, , , [updated]] = await db.batch([
    shareTeam(db, teamId),
    db.select({ id: agents.id }).from(agents).where(which).for("update"),
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM agents WHERE id = ${id}::uuid AND team_id = ${teamId}::uuid AND is_active)`,
    ),
    db
      .update(agents)
      .set({ ...change, updatedAt: sql`now()` })
      .where(which)
      .returning(),
  ]);
  return updated;
}
