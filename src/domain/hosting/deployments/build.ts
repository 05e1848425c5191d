import {
  buildProject,
  bundlesOf,
  leftOutLine,
  storeBundle,
  type BundleDeps,
} from "#src/domain/hosting/bundles/index.ts";
import { awakeRuntime, type WakeDeps } from "#src/domain/workspaces/lifecycle/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Execution } from "./execution.ts";
import { ADVANCED, ended, type StepOutcome } from "./step-outcome.ts";

export interface BuildDeps extends WakeDeps, BundleDeps {
  log: Log;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  config: BundleDeps["config"] & { DEPLOYMENT_BUILD_TIMEOUT_SECONDS: number };
}

const WAKE_MS = 60_000;

/**
 * Builds the project, where it is not the provider that builds, and stores the files that are to be published. A repetition
 * builds again, and publishes the files that were stored first.
 */
export async function build(deps: BuildDeps, run: Execution, signal: AbortSignal): Promise<StepOutcome> {
  const { deployment } = run;
  const { id, projectId, mode, provider, settings } = deployment;
  if (run.deployment.cancelledAt !== null) return ended("cancelled");
  if (projectId === null) return ended("failed", "The project was deleted");
  if (fetchesSources(provider)) {
    await run.recordBuilt({ status: "pushing" });
    return ADVANCED;
  }
  const runtime = awakeRuntime(deps, projectId, { timeoutMs: WAKE_MS, signal });
  if (mode === "pre-built" && settings.buildCommand !== null) {
    await buildProject(deps, runtime, {
      directory: settings.directory,
      buildCommand: settings.buildCommand,
      env: run.env,
      timeoutMs: deps.config.DEPLOYMENT_BUILD_TIMEOUT_SECONDS * 1000,
      signal,
      onOutput: (lines) => run.log(...lines),
    });
  }
  const bundle = await storeBundle(deps, runtime, {
    prefix: bundlesOf(id),
    directory: settings.directory,
    outputDirectory: settings.outputDirectory,
    mode,
    digest: (path, content) => run.reach.provider.digest(path, content),
    signal,
    onSecrets: (paths) => run.log(leftOutLine(paths)),
  });
  signal.throwIfAborted();
  await run.log(`${bundle.files} files, ${bundle.bytes} bytes`);
  await run.recordBuilt({ status: "deploying", bundle });
  return ADVANCED;
}

/** Whether the provider fetches the sources from a git host. */
export function fetchesSources(provider: Execution["deployment"]["provider"]): boolean {
  return provider === "digitalocean";
}
