import { type Balance, type FillConfig, readBalance } from "#src/domain/metering/credits/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { planOfTeam } from "./queries.ts";

/** A team's tier, what it subscribed to, and its credits. */
export type Plan = NonNullable<Awaited<ReturnType<typeof planOfTeam>>> & { balance: Balance };

/** Reads what a team has. Throws `not_found` for a deleted team. */
export async function readPlan(deps: { db: Db; config: FillConfig }, teamId: string): Promise<Plan> {
  const [plan, balance] = await Promise.all([planOfTeam(deps.db, teamId), readBalance(deps, teamId)]);
  if (!plan) throw new AppError("not_found", "Team not found");
  return { ...plan, balance };
}
