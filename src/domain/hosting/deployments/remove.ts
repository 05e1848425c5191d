import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { Superseded, type Execution } from "./execution.ts";
import type { Outcome } from "./outcome.ts";
import { forgetDeployment, recordSite, type Claimed } from "./queries/executors.ts";

const NOWHERE = { providerSiteId: null, liveDeploymentId: null, url: null, isNameUsed: false } as const;

/** Whether the site goes with the deployment: it is the live one, or none of its site ever came to life. */
const takesSite = ({ site, deployment }: Claimed) =>
  site.liveDeploymentId === deployment.id || site.liveDeploymentId === null;

/** Whether something at the provider goes with the deployment. */
export function isAtProvider(claimed: Claimed): boolean {
  const { providerSiteId, isNameUsed } = claimed.site;
  return takesSite(claimed) && (providerSiteId !== null || isNameUsed);
}

/** Deletes a deployment with which nothing goes at the provider. */
export async function leave(deps: { db: Db }, claimed: Claimed): Promise<Outcome> {
  if (takesSite(claimed) && !(await recordSite(deps.db, claimed, NOWHERE))) throw new Superseded();
  await forgetDeployment(deps.db, claimed.deployment);
  return { kind: "forgotten" };
}

/** Takes a deployment's site down and deletes the deployment: the row goes when the site has. */
export async function remove(deps: { db: Db }, run: Execution): Promise<Outcome> {
  const { provider, access } = run.reach;
  if (run.site.providerSiteId === null) {
    // A creation with an unknown outcome.
    const found = await provider.findSite(access, run.site.name);
    if (found) await run.recordSite({ providerSiteId: found.id });
  }
  if (run.site.providerSiteId !== null) {
    await provider.removeSite(access, run.hosted);
    // What stands between may have answered. Only what is not found is gone.
    const { id, name } = run.hosted;
    const left = await provider.findSite(access, name);
    if (left && (left.id === id || id === name))
      throw new AppError("unavailable", "The provider still has the site");
  }
  await run.recordSite(NOWHERE);
  await forgetDeployment(deps.db, run.deployment);
  return { kind: "forgotten" };
}
