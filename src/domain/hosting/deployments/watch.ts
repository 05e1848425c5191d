import { isHostingFailure } from "#src/domain/hosting/credentials/index.ts";
import type { HostingFailure } from "#src/platform/hosting/failure.ts";
import type { Execution } from "./execution.ts";
import { ended, type RunOutcome } from "./step-outcome.ts";

export interface WatchDeps {
  config: { DEPLOYMENT_TIMEOUT: number; DEPLOYMENT_POLL_SECONDS: number };
}

/** Waits a moment for a provider whose cancellation is under way. */
const CANCELLING_SECONDS = 2;

/**
 * Asks the provider for the state of the deployment, and ends it with the provider's. A failed call is repeated until the
 * time limit. At the limit, and when its end was requested, the deployment is cancelled at the provider, too.
 */
export async function watch(deps: WatchDeps, run: Execution): Promise<RunOutcome> {
  const { provider, access } = run.reach;
  const { providerDeploymentId, publishedAt, cancelledAt } = run.deployment;
  if (providerDeploymentId === null) throw new Error("There is nothing to watch");
  const limitMs = deps.config.DEPLOYMENT_TIMEOUT * 1000;
  const isLate = publishedAt !== null && Date.now() - publishedAt.getTime() > limitMs;
  const tooLate = ended("failed", `The provider did not finish within ${deps.config.DEPLOYMENT_TIMEOUT} s`);
  const afterPassing = ({ retryAfterSeconds = 0 }: HostingFailure): RunOutcome => ({
    kind: "later",
    seconds: Math.max(retryAfterSeconds, deps.config.DEPLOYMENT_POLL_SECONDS),
  });
  let state;
  try {
    state = await provider.state(access, run.hosted, providerDeploymentId);
  } catch (error) {
    if (isPassing(error)) {
      if (!isLate) return afterPassing(error);
      // The provider is told all the same.
      await provider.cancel(access, run.hosted, providerDeploymentId);
      return tooLate;
    }
    const isGone = isHostingFailure(error) && error.kind === "not_found";
    if (isGone && cancelledAt !== null) return ended("cancelled");
    throw error;
  }
  if (
    state.word !== run.deployment.providerStatus ||
    (state.url !== null && state.url !== run.deployment.url)
  )
    await run.record({ providerStatus: state.word, ...(state.url !== null && { url: state.url }) });
  if (state.outcome === "pending") {
    if (!isLate && cancelledAt === null)
      return { kind: "later", seconds: deps.config.DEPLOYMENT_POLL_SECONDS };
    try {
      await provider.cancel(access, run.hosted, providerDeploymentId);
    } catch (error) {
      if (!isLate && isPassing(error)) return afterPassing(error);
      throw error;
    }
    if (isLate) return tooLate;
    // The provider decides whether it was in time.
    return { kind: "later", seconds: CANCELLING_SECONDS };
  }
  await logOfProvider(run, providerDeploymentId);
  // To some providers a cancelled deployment is one that failed.
  if (state.outcome !== "success" && cancelledAt !== null) return ended("cancelled");
  if (state.outcome === "cancelled") return ended("failed", "The deployment was cancelled at the provider");
  if (state.outcome === "failed")
    return ended("failed", run.scrub([state.error ?? "The deployment failed at the provider"])[0] ?? null);
  const { url } = run.deployment;
  await run.log(`Published${url === null ? "" : ` at ${url}`}`);
  return ended("success", null, { url });
}

/** Adds the provider's lines, without which the deployment is complete, too. */
async function logOfProvider(run: Execution, deploymentId: string): Promise<void> {
  const { provider, access } = run.reach;
  try {
    const lines = await provider.logs(access, run.hosted, deploymentId);
    if (lines.length > 0) await run.log("=== Provider Logs ===", ...lines);
  } catch (error) {
    if (!isHostingFailure(error)) throw error;
    await run.log("The provider's log could not be read");
  }
}

function isPassing(error: unknown): error is HostingFailure {
  return isHostingFailure(error) && ["rate_limited", "unavailable"].includes(error.kind);
}
