import { isHostingFailure } from "#src/domain/hosting/credentials/index.ts";
import type { GitDeps } from "#src/domain/workspaces/git/index.ts";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { defineJob, type Attempt, type Outcome } from "#src/work/job.ts";
import { build, type BuildDeps } from "./build.ts";
import { deploymentDue } from "./deployment-due.ts";
import { Execution, type ExecutionDeps } from "./execution.ts";
import { publish, type PublishDeps } from "./publish.ts";
import { push } from "./push.ts";
import { isUnfinished, type Deployment } from "./queries/requests.ts";
import { failureNoted, readRun, type Known } from "./queries/runs.ts";
import { isAtProvider, leave, remove } from "./remove.ts";
import { ended, type RunOutcome, type StepOutcome } from "./step-outcome.ts";
import { watch, type WatchDeps } from "./watch.ts";

export interface RunDeps extends BuildDeps, PublishDeps, GitDeps, ExecutionDeps {
  queue: Queue;
  config: BuildDeps["config"] & WatchDeps["config"] & ExecutionDeps["config"];
}

/** Most attempts at one step, counted from the last one that got further. */
const MAX_ATTEMPTS = 6;
/** Most attempts to take a site down. With their pauses they take about a day. */
const MAX_REMOVALS = 40;
/** The pause doubles with each failure, up to the longest; no step of a run comes so far. */
const FIRST_PAUSE_SECONDS = 4;
const LONGEST_PAUSE_SECONDS = 3_600;
const PAUSES = Array.from({ length: MAX_REMOVALS - 1 }, (_, failures) =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** failures, LONGEST_PAUSE_SECONDS),
);
/** The end of what a deployment waits for makes it due. If that is missed, it looks again after this pause. */
const TURN_SECONDS = 30;

/**
 * Continues a deployment from the state in its row. While the provider works, an attempt does not wait: the job is due again
 * later. The job of a deployment that runs and that of its removal are one, as its status says. Both have the same pauses,
 * but a run has fewer attempts, which are counted here: also when their executors have died.
 */
export const runDeployment = defineJob(deploymentDue, {
  pauses: PAUSES,
  read: readRun,
  run: continueDeployment,
  interrupted: continueDeployment,
});

type RunAttempt = Attempt<{ deploymentId: string }, Known[]>;

async function continueDeployment(deps: RunDeps, attempt: RunAttempt): Promise<Outcome> {
  const [known] = attempt.read;
  if (!known || !isUnfinished(known.deployment)) return { kind: "done" };
  const run = new Execution(deps, attempt, known);
  if (!(await hasBegun(run, known))) return { kind: "later", seconds: TURN_SECONDS };
  const outcome = decided(run, known, attempt) ?? (await tryToAdvance(deps, run, attempt));
  if (outcome.kind === "done") return outcome;
  if (outcome.kind === "ended") {
    const { isDeleting } = await run.end(outcome.ending);
    return isDeleting ? { kind: "later", seconds: 0 } : { kind: "done" };
  }
  const failure = outcome.kind === "failed" ? outcome.error : null;
  return { ...outcome, writes: [failureNoted(run.deployment, failure)] };
}

/** Whether a deployment runs, also since now. One that is only to be ended needs no turn. */
async function hasBegun(run: Execution, { hasTurn }: Known): Promise<boolean> {
  const { status, cancelledAt } = run.deployment;
  const waits = status === "deleting" || (status === "pending" && cancelledAt === null);
  if (!waits) return true;
  try {
    return hasTurn && (await run.begin());
  } catch (error) {
    if (uniqueViolation(error) === "deployments_building_unique") return false;
    throw error;
  }
}

/** How a deployment ends without anything that can be tried; undefined for one that goes on. */
function decided(
  { deployment: { status, cancelledAt, publishedAt, projectId, error } }: Execution,
  { mayDeploy }: Known,
  { attempt }: RunAttempt,
): RunOutcome | undefined {
  // Once the provider has the deployment, it may put it online by itself. So the deployment is followed to its end.
  if (status !== "deleting" && publishedAt === null) {
    if (cancelledAt !== null) return ended("cancelled");
    if (projectId !== null && !mayDeploy)
      return ended("failed", "The person who requested the deployment may no longer deploy this project");
  }
  if (attempt > mostAttempts(status))
    return ended("failed", error ?? "The deployment was interrupted too many times: start it again");
  return undefined;
}

const mostAttempts = (status: Deployment["status"]) => (status === "deleting" ? MAX_REMOVALS : MAX_ATTEMPTS);

/** Goes on until the deployment ends or has to wait. Throws `Superseded` if another executor has taken over. */
async function tryToAdvance(
  deps: RunDeps,
  run: Execution,
  attempt: RunAttempt,
): Promise<RunOutcome | Extract<Outcome, { kind: "failed" }>> {
  const stop = new AbortController();
  attempt.onRenewal(([now]) => {
    if (!now || isToEnd(now)) stop.abort();
  });
  try {
    return await advance(deps, run, AbortSignal.any([attempt.signal, stop.signal]));
  } catch (error) {
    if (attempt.signal.aborted) throw error;
    const { id, provider, status, publishedAt } = run.deployment;
    // Once the provider has the deployment, it may put it online by itself. So it does not count as cancelled yet.
    if (stop.signal.aborted && publishedAt === null) return ended("cancelled");
    const { sentence, isFinal, retryAfterSeconds: notBeforeSeconds } = reasonOf(error);
    const [reason = sentence] = run.scrub([sentence]);
    if (!isFinal && attempt.attempt < mostAttempts(status))
      return { kind: "failed", error: reason, cause: error, notBeforeSeconds };
    deps.log.warn("a deployment failed", { deployment_id: id, provider, cause: error });
    return ended("failed", reason);
  }
}

/** Whether a deployment is to be ended as soon as possible: that was requested, or its person may no longer deploy. */
const isToEnd = ({ deployment: { status, cancelledAt }, mayDeploy }: Known) =>
  status !== "deleting" && (cancelledAt !== null || !mayDeploy);

/** Does one step after another until the deployment ends or has to wait. */
async function advance(deps: RunDeps, run: Execution, signal: AbortSignal): Promise<RunOutcome> {
  // Nothing at the provider is to be deleted, so no credential is needed.
  if (run.deployment.status === "deleting" && !isAtProvider(run)) return leave(run);
  await run.open();
  for (;;) {
    const outcome = await step(deps, run, signal);
    if (outcome.kind !== "advanced") return outcome;
  }
}

function step(deps: RunDeps, run: Execution, signal: AbortSignal): Promise<StepOutcome> {
  switch (run.deployment.status) {
    case "building":
      return build(deps, run, signal);
    case "pushing":
      return push(deps, run);
    case "deploying":
      return run.deployment.providerDeploymentId === null ? publish(deps, run) : watch(deps, run);
    case "deleting":
      return remove(run);
    case "pending":
    case "success":
    case "failed":
    case "cancelled":
      break;
  }
  throw new Error(`Nothing is to be done for a deployment that is ${run.deployment.status}`);
}

/** What a person is told of a failure, and whether another attempt cannot help. */
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
