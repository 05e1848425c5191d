import { accessFor, isHostingFailure, type CredentialDeps } from "#src/domain/hosting/credentials/index.ts";
import { openVariables } from "#src/domain/workspaces/containers/index.ts";
import type { GitDeps } from "#src/domain/source-control/git/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Hosting } from "#src/platform/hosting/hosting.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { announce } from "./announce.ts";
import { build, type BuildDeps } from "./build.ts";
import { Execution, Superseded } from "./execution.ts";
import { publishRun, runMessage } from "./messages.ts";
import { ended, type Outcome } from "./outcome.ts";
import { publish, type PublishDeps } from "./publish.ts";
import { push } from "./push.ts";
import { forgetBundles } from "./queries/bundles.ts";
import {
  claimDeployment,
  endDeployment,
  isLeased,
  MAX_ATTEMPTS,
  nextDeployments,
  releaseDeployment,
  renewDeployment,
  type Claimed,
  type Ending,
} from "./queries/executors.ts";
import type { Deployment } from "./queries/requests.ts";
import { isAtProvider, leave, remove } from "./remove.ts";
import { watch, type WatchDeps } from "./watch.ts";

export interface RunDeps extends BuildDeps, PublishDeps, GitDeps, CredentialDeps {
  hosting: Hosting;
  queue: Queue;
  notices: Pick<ProjectNotices, "send">;
  config: BuildDeps["config"] & WatchDeps["config"] & { DEPLOYMENTS_KEPT: number };
}

/** Most requests to a provider in one delivery of the queue. A Worker may make 1,000 requests of all kinds in total. */
const REQUESTS = 400;
/** Interval at which an executor renews its lease and learns that it must stop. */
const BEAT_MS = 2_000;
/** The pause doubles with each failure, up to the longest. */
const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 60;
/** Most attempts to take a site down. With their pauses they take about a day. */
const MAX_REMOVALS = 40;
const LONGEST_REMOVAL_PAUSE_SECONDS = 3_600;
/** Most deployments that are launched when another one makes room for them. */
const NEXT = 10;
/** Pause before redelivery if another executor holds the lease. That executor may be dead. */
const RETRY_SECONDS = 5;

/**
 * Continues a deployment from the state in its row. The lease admits one executor at a time, and a write takes effect only
 * with the current generation. While the provider works, this delivery does not wait: it publishes a later one. Idempotent.
 * Returns the pause before the message must be redelivered; undefined if it need not be.
 */
export async function runDeployment(
  deps: RunDeps,
  deploymentId: string,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const claimed = await claimDeployment(deps.db, deploymentId);
  if (!claimed) {
    return (await isLeased(deps.db, deploymentId)) ? { retryAfterSeconds: RETRY_SECONDS } : undefined;
  }
  try {
    await settle(deps, claimed, await attempt(deps, claimed));
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
  }
  return undefined;
}

/** Makes one attempt. Returns a failure as an outcome. Throws `Superseded` if another executor has taken over. */
async function attempt(deps: RunDeps, claimed: Claimed & { mayDeploy: boolean }): Promise<Outcome> {
  const { deployment } = claimed;
  const isDeleting = deployment.status === "deleting";
  // The provider has nothing of this deployment, so neither deleting nor cancelling it needs a credential.
  if (isDeleting && !isAtProvider(claimed)) return leave(deps, claimed);
  if (!isDeleting && deployment.cancelledAt !== null && deployment.publishedAt === null)
    return ended("cancelled");
  // Once the provider has the deployment, it may put it online by itself. So the deployment is followed to its end.
  const isLost = deployment.projectId !== null && !claimed.mayDeploy;
  if (!isDeleting && isLost && deployment.publishedAt === null)
    return ended("failed", "The person who requested the deployment may no longer deploy this project");
  if (deployment.attempts > (isDeleting ? MAX_REMOVALS : MAX_ATTEMPTS))
    return ended(
      "failed",
      deployment.error ?? "The deployment was interrupted too many times: start it again",
    );
  let run: Execution | undefined;
  const stop = new AbortController();
  const heartbeat = setInterval(() => void beat(deps, run?.deployment ?? deployment, stop), BEAT_MS);
  try {
    run = new Execution(deps, claimed, {
      reach: {
        access: await accessFor(deps, placeOf(claimed)),
        provider: deps.hosting.provider(deployment.provider, { requests: REQUESTS }),
      },
      env: isDeleting ? {} : await openVariables(deps.deploymentSecrets, deployment.encryptedEnv),
    });
    if (deployment.generation === 1) await announce(deps, deployment);
    return await advance(deps, run, stop.signal);
  } catch (error) {
    if (error instanceof Superseded || stop.signal.reason instanceof Superseded) throw new Superseded();
    const reached = run?.deployment ?? deployment;
    // Once the provider has the deployment, it may put it online by itself. So it does not count as cancelled yet.
    if (stop.signal.aborted && reached.publishedAt === null) return ended("cancelled");
    return afterFailure(deps, reached, error, (text) => run?.scrub([text])[0] ?? text);
  } finally {
    clearInterval(heartbeat);
  }
}

/** Returns whose credential is used, and which provider account it must belong to. */
function placeOf({ deployment: { userId, provider, projectId }, site: { account, isStandin } }: Claimed) {
  return { userId, provider, projectId, account, isStandin };
}

/** Does one step after another until the deployment ends or has to wait. */
async function advance(deps: RunDeps, run: Execution, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    const { status } = run.deployment;
    const outcome = await step(deps, run, signal);
    // Another build of the project may begin.
    if (status === "building" && outcome.kind === "advanced") await launchNext(deps, run.deployment);
    if (outcome.kind !== "advanced") return outcome;
  }
}

function step(deps: RunDeps, run: Execution, signal: AbortSignal): Promise<Outcome> {
  switch (run.deployment.status) {
    case "building":
      return build(deps, run, signal);
    case "pushing":
      return push(deps, run);
    case "deploying":
      return run.deployment.providerDeploymentId === null ? publish(deps, run) : watch(deps, run);
    case "deleting":
      return remove(deps, run);
    case "pending":
    case "success":
    case "failed":
    case "cancelled":
      break;
  }
  throw new Error(`Nothing is to be done for a deployment that is ${run.deployment.status}`);
}

/** Stores the outcome of an attempt, and publishes the messages that continue from it. */
async function settle(deps: RunDeps, { deployment }: Claimed, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case "later": {
      const inSeconds = await releaseDeployment(deps.db, deployment, outcome);
      if (inSeconds !== undefined) await publishRun(deps, deployment, "later", inSeconds);
      return;
    }
    case "forgotten":
      return launchNext(deps, deployment);
    case "ended":
      return end(deps, deployment, outcome.ending);
    case "advanced":
  }
}

async function end(deps: RunDeps, deployment: Deployment, ending: Ending): Promise<void> {
  const over = await endDeployment(deps.db, deployment, ending);
  if (!over) return;
  await announce(deps, over);
  await forgetBundles(deps.db, over.siteId, deps.config.DEPLOYMENTS_KEPT);
  if (over.status === "deleting") await publishRun(deps, over, "ended");
  await launchNext(deps, over);
}

async function launchNext(deps: RunDeps, deployment: Deployment): Promise<void> {
  const next = await nextDeployments(deps.db, deployment, NEXT);
  if (next.length === 0) return;
  const reason = `after-${deployment.id}-${deployment.generation}-${deployment.status}`;
  try {
    await deps.queue.publishBatch(next.map((each) => runMessage(each, reason)));
  } catch (cause) {
    deps.log.warn("the next deployments were not published", { deployment_id: deployment.id, cause });
  }
}

/**
 * Renews the lease. Stops the work if another executor has taken over, if the deployment was cancelled, or if its person may
 * no longer deploy.
 */
async function beat(deps: RunDeps, held: Deployment, stop: AbortController): Promise<void> {
  try {
    const state = await renewDeployment(deps.db, held);
    if (!state) stop.abort(new Superseded());
    else if (state.isCancelled) stop.abort();
  } catch (cause) {
    // After an outage of the database longer than the lease, another executor takes over. The next renewal finds that out.
    deps.log.warn("a deployment's lease was not renewed", { deployment_id: held.id, cause });
  }
}

/** Returns the outcome of a failure: the end of the deployment, or another attempt after a pause. */
function afterFailure(
  deps: RunDeps,
  { id, provider, status, attempts }: Deployment,
  error: unknown,
  scrub: (text: string) => string,
): Outcome {
  const { sentence, isFinal, retryAfterSeconds = 0 } = reasonOf(error);
  const failure = scrub(sentence);
  const isDeleting = status === "deleting";
  const isOver = isFinal || attempts >= (isDeleting ? MAX_REMOVALS : MAX_ATTEMPTS);
  deps.log.warn("a deployment did not go on", { deployment_id: id, provider, final: isOver, cause: error });
  if (isOver) return ended("failed", failure);
  const pause = FIRST_PAUSE_SECONDS * 2 ** attempts;
  const longest = isDeleting ? LONGEST_REMOVAL_PAUSE_SECONDS : LONGEST_PAUSE_SECONDS;
  return { kind: "later", inSeconds: Math.max(Math.min(pause, longest), retryAfterSeconds), failure };
}

function reasonOf(error: unknown): {
  sentence: string;
  isFinal: boolean;
  retryAfterSeconds?: number | undefined;
} {
  if (isHostingFailure(error)) {
    const isPassing = error.kind === "rate_limited" || error.kind === "unavailable";
    return { sentence: error.message, isFinal: !isPassing, retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof AppError) {
    const { message, retryable, retryAfterSeconds } = error;
    return { sentence: message, isFinal: !retryable, retryAfterSeconds };
  }
  return { sentence: "The deployment failed on the service's side", isFinal: false };
}
