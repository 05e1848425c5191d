import type { Caller } from "#src/domain/access/permissions/index.ts";
import { credentialsIn, firstOf } from "#src/domain/hosting/credentials/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { fetchesSources } from "./build.ts";
import { deploymentOfKey, type Deployment } from "./queries/requests.ts";
import { replay, store, type RequestDeps } from "./request-deployment.ts";
import { requireDeployment } from "./require-deployment.ts";

/**
 * Publishes an earlier deployment again, with the files that it kept and without a build: the way back. Throws `conflict`
 * where its files are not kept any more, its project is deleted, or its site is in an account that the caller is not
 * connected to; otherwise as `requestDeployment` does.
 */
export async function redeploy(
  deps: RequestDeps,
  caller: Caller,
  id: string,
  idempotencyKey: string | undefined,
): Promise<Deployment> {
  const { deployment: earlier, site } = await requireDeployment(deps, caller, id, "deployment.create");
  const { projectId, provider } = earlier;
  const requestHash = sha256Hex(JSON.stringify({ redeploy: earlier.id }));
  const { userId } = caller;
  const [[sameKey], credentials] = await deps.db.batch([
    deploymentOfKey(deps.db, userId, idempotencyKey),
    credentialsIn(deps.db, { userId, provider, projectId }),
  ]);
  const replayed = replay(sameKey, requestHash);
  if (replayed) return replayed;
  if (projectId === null || site.projectId === null)
    throw new AppError("conflict", "The project was deleted: its deployments can only be taken down");
  const isKept = fetchesSources(provider) ? earlier.providerDeploymentId !== null : earlier.bundle !== null;
  if (!isKept || earlier.status !== "success")
    throw new AppError("conflict", "The files of this deployment are not kept: deploy the project again");
  const { account, access } = await firstOf(deps, { provider }, credentials);
  if (account !== site.account || access.isStandin !== site.isStandin)
    throw new AppError("conflict", "The site is in an account that you are not connected to");
  return store(deps, {
    site: {
      id: newId(),
      projectId,
      containerId: site.containerId,
      // The same site, also when its container is deleted.
      madeFor: site.madeFor,
      userId: site.userId,
      provider,
      account,
      isStandin: site.isStandin,
      name: site.name,
    },
    deployment: {
      id: newId(),
      userId,
      mode: earlier.mode,
      settings: { ...earlier.settings, again: earlier.providerDeploymentId },
      encryptedEnv: earlier.encryptedEnv,
      bundle: earlier.bundle,
      commitSha: earlier.commitSha,
      redeployOf: earlier.id,
      idempotencyKey: idempotencyKey ?? null,
      requestHash,
    },
  });
}
