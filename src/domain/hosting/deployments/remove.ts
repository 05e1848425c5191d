import { AppError } from "#src/lib/errors.ts";
import type { Execution } from "./execution.ts";
import { FORGOTTEN, type RunOutcome } from "./step-outcome.ts";

/** Whether the site goes with the deployment: it is the live one, or none of its site ever came to life. */
const takesSite = ({ site, deployment }: Execution) =>
  site.liveDeploymentId === deployment.id || site.liveDeploymentId === null;

/** Whether something at the provider goes with the deployment. */
export function isAtProvider(run: Execution): boolean {
  const { providerSiteId, isNameUsed } = run.site;
  return takesSite(run) && (providerSiteId !== null || isNameUsed);
}

/** Deletes a deployment with which nothing goes at the provider. */
export async function leave(run: Execution): Promise<RunOutcome> {
  await run.forget({ isSiteGone: takesSite(run) });
  return FORGOTTEN;
}

/** Takes a deployment's site down and deletes the deployment: the row goes when the site has. */
export async function remove(run: Execution): Promise<RunOutcome> {
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
  await run.forget({ isSiteGone: true });
  return FORGOTTEN;
}
