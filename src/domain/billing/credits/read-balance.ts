import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { bundledCredits, type FillConfig } from "./fill-pools.ts";
import { creditsOfTeam } from "./queries/pools.ts";

/** A team's credits by pool, as far as they can be spent now. */
export type Balance = NonNullable<Awaited<ReturnType<typeof creditsOfTeam>>[number]> & {
  total: number;
  /** Bundled credits that its tier gets with each month. */
  allowance: number;
};

/** What a team has. Throws `not_found` for a team that is gone. */
export async function readBalance(deps: { db: Db; config: FillConfig }, teamId: string): Promise<Balance> {
  const [credits] = await creditsOfTeam(deps.db, teamId);
  if (!credits) throw new AppError("not_found", "Team not found");
  const { daily, bundled, bonus, purchased, tier } = credits;
  const allowance = tier === "free" ? 0 : bundledCredits(deps.config)[tier];
  return { ...credits, total: daily + bundled + bonus + purchased, allowance };
}
