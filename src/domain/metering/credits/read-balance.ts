import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { bundledCredits, type FillConfig } from "./fill-pools.ts";
import { creditsOfTeam } from "./queries/pools.ts";

/** A team's spendable credits by pool. */
export type Balance = NonNullable<Awaited<ReturnType<typeof creditsOfTeam>>[number]> & {
  total: number;
  /** Monthly bundled credits of its tier. */
  allowance: number;
};

/** Reads a team's credits. Throws `not_found` for a deleted team. */
export async function readBalance(deps: { db: Db; config: FillConfig }, teamId: string): Promise<Balance> {
  const [credits] = await creditsOfTeam(deps.db, teamId);
  if (!credits) throw new AppError("not_found", "Team not found");
  const { daily, bundled, bonus, purchased, tier } = credits;
  const allowance = tier === "free" ? 0 : bundledCredits(deps.config)[tier];
  return { ...credits, total: daily + bundled + bonus + purchased, allowance };
}
