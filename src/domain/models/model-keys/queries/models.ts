import { and, asc, eq, sql } from "drizzle-orm";
import { teams, userModels } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type AddedModel = typeof userModels.$inferSelect;

const active = (userId: string) => and(eq(userModels.userId, userId), eq(userModels.isActive, true));

export function addedModels(db: Db, userId: string) {
  return db
    .select()
    .from(userModels)
    .where(active(userId))
    .orderBy(asc(userModels.createdAt), asc(userModels.id));
}

/** Fails on `user_models_model_unique` if the model is already listed. Throws the refusal of the ceiling on models. */
export async function insertModel(
  { db, config }: { db: Db; config: CeilingConfig<"added_models"> },
  model: Pick<
    AddedModel,
    "id" | "userId" | "modelId" | "modelName" | "provider" | "pricingInput" | "pricingOutput"
  >,
): Promise<void> {
  const room = roomFor(db, config, [{ ceiling: "added_models", owner: model.userId }]);
  await whileThereIsRoom(db.batch([...room, db.insert(userModels).values(model)]));
}

/** Removes a model from the list. Returns whether it was listed. */
export async function removeModel(db: Db, userId: string, id: string): Promise<boolean> {
  const removed = await db
    .update(userModels)
    .set({ isActive: false })
    .where(and(active(userId), eq(userModels.id, id)))
    .returning({ id: userModels.id });
  return removed.length > 0;
}

export function disabledModels(db: Db, teamId: string) {
  return db.select({ disabled: teams.disabledModels }).from(teams).where(eq(teams.id, teamId));
}

/**
 * Switches a model on or off for a team, replacing other spellings of its id. Returns the new list; `undefined` if the
 * list is full or the team is deleted.
 */
export async function setDisabled(
  db: Db,
  teamId: string,
  wish: { modelId: string; same: readonly string[]; isDisabled: boolean; limit: number },
): Promise<string[] | undefined> {
  const { modelId, same, isDisabled, limit } = wish;
  const without = [modelId, ...same].reduce(
    (models, id) => sql`array_remove(${models}, ${id}::text)`,
    sql`${teams.disabledModels}`,
  );
  const [row] = await db
    .update(teams)
    .set({ disabledModels: isDisabled ? sql`array_append(${without}, ${modelId}::text)` : without })
    .where(and(eq(teams.id, teamId), isDisabled ? sql`cardinality(${without}) < ${limit}::int` : undefined))
    .returning({ disabled: teams.disabledModels });
  return row?.disabled;
}

/** Whether the person's personal or default team has one of the tiers. */
export async function hasTierOf(db: Db, userId: string, tiers: readonly string[]): Promise<boolean> {
  const result = await db.execute<{ has: boolean }>(sql`
    SELECT EXISTS (
      SELECT 1 FROM teams t WHERE t.subscription_tier IN (${list(tiers)}) AND (
        (t.is_personal AND t.created_by = ${userId}::uuid)
        OR EXISTS (SELECT 1 FROM users u JOIN team_memberships m ON m.user_id = u.id AND m.team_id = u.default_team_id
          WHERE u.id = ${userId}::uuid AND u.default_team_id = t.id)
      )
    ) AS has
  `);
  return result.rows[0]?.has ?? false;
}

/** Values of a non-empty IN list. */
export function list(values: readonly string[]) {
  return sql.join(
    values.map((value) => sql`${value}::text`),
    sql`, `,
  );
}
