import { isHostingFailure } from "#src/domain/hosting/credentials/index.ts";
import { openBundle } from "#src/domain/hosting/bundles/index.ts";
import { repositoryAt, type GitHostDeps } from "#src/domain/source-control/git-hosts/index.ts";
import { repositoryOf } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { randomSuffix } from "#src/lib/ids.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { HostedSite, ReleaseSource } from "#src/platform/hosting/hosting.ts";
import { fetchesSources } from "./build.ts";
import type { Execution } from "./execution.ts";
import { ADVANCED, ended, type StepOutcome } from "./step-outcome.ts";

export interface PublishDeps extends GitHostDeps {
  db: Db;
  archives: ArchiveStore;
  config: { DEPLOYMENT_TIMEOUT: number };
}

/** Names that are tried for one site: each has a random part, so a second one is rarely needed. */
const MAX_NAMES = 5;
const SUFFIX_LENGTH = 6;

/**
 * Makes the site where there is none, and gives the provider the deployment. May be repeated: what an earlier executor made
 * is found by its name or by the deployment's id.
 */
export async function publish(deps: PublishDeps, run: Execution): Promise<StepOutcome> {
  const { deployment, reach } = run;
  // The provider was given nothing yet, so there is nothing to take back.
  if (deployment.cancelledAt !== null && deployment.publishedAt === null) return ended("cancelled");
  const source = fetchesSources(deployment.provider) ? await sourceOf(deps, run) : undefined;
  if (run.site.providerSiteId === null) await makeSite(run);
  // Its person may have lost the right to deploy since the build began.
  if (deployment.publishedAt === null && !(await run.recordGiven())) return ended("cancelled");
  try {
    const published = await reach.provider.publish(
      reach.access,
      {
        id: deployment.id,
        site: run.hosted,
        mode: deployment.mode,
        framework: deployment.settings.framework,
        buildCommand: deployment.settings.buildCommand,
        outputDirectory: deployment.settings.outputDirectory,
        env: run.env,
        files: deployment.bundle === null ? undefined : await openBundle(deps.archives, deployment.bundle),
        source,
        again: deployment.settings.again,
        notes: {
          get: () => run.deployment.providerNotes,
          set: (providerNotes) => run.record({ providerNotes }),
        },
      },
      reach.provider.budget,
    );
    if (published === "unfinished") {
      return isLate(deps, run)
        ? ended("failed", `The provider did not take the files within ${deps.config.DEPLOYMENT_TIMEOUT} s`)
        : { kind: "later", seconds: 0 };
    }
    await run.log(`${deployment.provider} has the deployment`);
    await run.record({ providerDeploymentId: published.deploymentId });
    return ADVANCED;
  } catch (error) {
    if (!isHostingFailure(error) || error.kind !== "not_found") throw error;
    // The person may have deleted the site at the provider. The next attempt makes it again.
    if (await reach.provider.findSite(reach.access, run.site.name)) throw error;
    // What is noted of it is of no use, and who makes one of its name in the meantime is not us.
    await run.recordSite({ providerSiteId: null, isNameUsed: false });
    await run.record({ providerNotes: null });
    throw new AppError("unavailable", "The site is gone at the provider; it is made again");
  }
}

/** Whether the time limit is over, which counts from when the provider was given the deployment. */
function isLate({ config }: PublishDeps, { deployment: { publishedAt } }: Execution): boolean {
  return publishedAt !== null && Date.now() - publishedAt.getTime() > config.DEPLOYMENT_TIMEOUT * 1000;
}

/**
 * Makes the site under the stored name. A site of this name that is there before a creation was begun is not ours: another
 * name is taken then.
 */
async function makeSite(run: Execution): Promise<void> {
  const { provider, access } = run.reach;
  for (let names = 1; names <= MAX_NAMES; names += 1) {
    const { name, isNameUsed } = run.site;
    const found = await provider.findSite(access, name);
    if (found && isNameUsed) return keep(run, found);
    if (!found) {
      if (!isNameUsed) await run.recordSite({ isNameUsed: true });
      try {
        return await keep(
          run,
          await provider.createSite(access, { name, framework: run.deployment.settings.framework }),
        );
      } catch (error) {
        if (!isHostingFailure(error) || error.kind !== "name_taken") throw error;
      }
    }
    await run.recordSite({
      name: provider.siteName(name.replace(/-[a-z0-9]+$/u, ""), randomSuffix(SUFFIX_LENGTH)),
      isNameUsed: false,
    });
  }
  throw new AppError("conflict", "No free name for the site was found: try again");
}

async function keep(run: Execution, site: HostedSite): Promise<void> {
  await run.recordSite({ providerSiteId: site.id, name: site.name, url: site.url, isNameUsed: true });
  await run.log(`Site ${site.name}${site.url === null ? "" : ` at ${site.url}`}`);
}

/** Where the provider fetches the sources: the project's remote, at the commit that was pushed. */
async function sourceOf(deps: PublishDeps, run: Execution): Promise<ReleaseSource> {
  const { projectId, commitSha, settings, userId } = run.deployment;
  const repository = projectId === null ? undefined : await repositoryOf(deps.db, projectId);
  if (!repository || commitSha === null)
    throw new AppError("conflict", "The provider fetches the project from a git host, and there is none");
  const { repoUrl: url, repoOwner: owner, repoName: name, defaultBranch } = repository;
  const hosted = await repositoryAt(deps, userId, { url, owner, name });
  return {
    url,
    branch: settings.branch ?? defaultBranch,
    commit: commitSha,
    isPrivate: hosted?.isPrivate ?? false,
  };
}
