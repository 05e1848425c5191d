import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { deploysByTier, tierFacts, type TierConfig } from "#src/domain/metering/tiers/index.ts";
import { startUnlessRunning } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { markAlwaysOn, placesOf, unmarkAlwaysOn } from "./queries.ts";

interface LimitDeps {
  db: Db;
  config: TierConfig;
  modelSettings: Pick<ModelSettings, "byokTiers">;
}

/** A team's projects and always-on projects, and how many it may have. */
export interface DeployLimits {
  tier: "free" | "basic" | "pro" | "ultra";
  projects: { current: number; max: number };
  deploys: { current: number; included: number; bought: number; max: number };
}

/** What the caller's active team has and may have. Throws as `requireTeam`. */
export async function readDeployLimits(deps: LimitDeps, caller: Caller): Promise<DeployLimits> {
  const { teamId } = await requireTeam(deps, caller, "project.list");
  return limitsOf(deps, teamId);
}

async function limitsOf({ db, config, modelSettings }: LimitDeps, teamId: string): Promise<DeployLimits> {
  const places = await placesOf(db, teamId);
  if (!places) throw new AppError("not_found", "Team not found");
  const { tier, bought } = places;
  const { maxProjects, maxDeploys: included } = tierFacts(config, modelSettings)[tier];
  return {
    tier,
    projects: { current: places.projects, max: maxProjects },
    deploys: { current: places.deploys, included, bought, max: included + bought },
  };
}

/**
 * Makes a project always on: idleness does not hibernate it. Wakes it if it does not run. Idempotent. Throws
 * `insufficient_credits` when the project's team has no place left, and as `requireProject`.
 */
export async function makeAlwaysOn(
  deps: LimitDeps & { queue: Pick<Queue, "publish"> },
  caller: Caller,
  idOrSlug: string,
  client: Client,
): Promise<{ projectId: string; since: Date }> {
  const { id: projectId, teamId } = await requireProject(deps, caller, idOrSlug, "project.edit");
  const most = deploysByTier(deps.config);
  const since = await markAlwaysOn(deps.db, { projectId, teamId, userId: caller.userId, client }, most);
  if (since === undefined) throw new AppError("not_found", "Project not found");
  if (since === null) throw noPlaceLeft(await limitsOf(deps, teamId));
  await startUnlessRunning(deps, projectId);
  return { projectId, since };
}

function noPlaceLeft({ tier, deploys }: DeployLimits): AppError {
  const { current, included, bought, max } = deploys;
  return new AppError(
    "insufficient_credits",
    `Always-on projects of the team: ${current} of ${max}. Turn one off, buy another, or choose a larger plan`,
    {
      extra: {
        tier,
        current,
        base_max: included,
        additional_purchased: bought,
        effective_max: max,
      },
    },
  );
}

/** Lets idleness hibernate a project again. Idempotent. Throws as `requireProject`. */
export async function endAlwaysOn(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  client: Client,
): Promise<{ projectId: string }> {
  const { id: projectId, teamId } = await requireProject(deps, caller, idOrSlug, "project.edit");
  await unmarkAlwaysOn(deps.db, { projectId, teamId, userId: caller.userId, client });
  return { projectId };
}
