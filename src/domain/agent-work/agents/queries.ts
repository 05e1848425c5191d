import { and, asc, eq, sql } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { agentModels, agents } from "#src/db/schema/index.ts";
import { isAgentSold } from "#src/db/sold-items.ts";
import { isEntitled } from "#src/domain/organisations/library/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Agent = typeof agents.$inferSelect;

/** What marketplace clients keep with an agent. */
type AgentExtras = Pick<
  Agent,
  | "longDescription"
  | "category"
  | "mode"
  | "agentType"
  | "icon"
  | "avatarUrl"
  | "tags"
  | "features"
  | "config"
  | "toolConfigs"
  | "parentAgentId"
  | "isForkable"
>;
export type AgentValues = Pick<Agent, "slug" | "name" | "description" | "systemPrompt" | "model" | "tools"> &
  Partial<AgentExtras>;

/** Agents that a team may use. */
const visible = (teamId: string) => and(eq(agents.isActive, true), isEntitled(sql`${teamId}::uuid`));

/** Agents that a team can use: the service's own, then the team's, then those that it took. */
export function agentsOfTeam(db: Db, teamId: string): Promise<Agent[]> {
  return db
    .select()
    .from(agents)
    .where(visible(teamId))
    .orderBy(
      sql`${agents.teamId} IS NOT NULL`,
      sql`${agents.teamId} IS DISTINCT FROM ${teamId}::uuid`,
      asc(agents.createdAt),
      asc(agents.id),
    );
}

export async function visibleAgent(db: Db, teamId: string, id: string): Promise<Agent | undefined> {
  const [row] = await db
    .select()
    .from(agents)
    .where(and(visible(teamId), eq(agents.id, id)));
  return row;
}

/** Models that a person chose for agents that are not the team's, by agent. */
export async function modelChoices(db: Db, userId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.select().from(agentModels).where(eq(agentModels.userId, userId));
  return new Map(rows.map(({ agentId, model }) => [agentId, model]));
}

/** Chooses a model for an agent that is not the team's; null resets the choice. */
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

/** Fails on `agents_slug_unique` if another agent of the team has the slug. Throws the refusal of the ceiling on agents. */
export async function insertAgent(
  { db, config }: { db: Db; config: CeilingConfig<"agents"> },
  agent: AgentValues & { id: string; teamId: string; createdBy: string },
  entry: AuditEntry,
): Promise<Agent | undefined> {
  const batch = db.batch([
    ...roomFor(db, config, [{ ceiling: "agents", owner: agent.teamId }]),
    shareTeam(db, agent.teamId),
    db.insert(agents).values(agent).returning(),
    insertAuditEntry(db, entry),
  ]);
  const [, , , [made]] = await whileThereIsRoom(batch);
  return made;
}

/** Changes or deletes an agent of a team. `config` is merged into what is there. Fails as `insertAgent` does. */
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
      .set({
        ...change,
        ...(change.config && {
          config: sql`coalesce(${agents.config}, '{}'::jsonb) || ${JSON.stringify(change.config)}::jsonb`,
        }),
        updatedAt: sql`now()`,
      })
      .where(which)
      .returning(),
  ]);
  return updated;
}

/** Whether other teams paid for an agent and may still use it, or are about to pay for it. */
export async function isPaidFor(db: Db, agentId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`SELECT 1 WHERE ${isAgentSold(sql`${agentId}::uuid`)}`);
  return rows.length > 0;
}
