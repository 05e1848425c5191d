import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import { checkBuild, checkEnv, withoutOwnNames } from "#src/domain/hosting/bundles/index.ts";
import { firstOf, type CredentialDeps } from "#src/domain/hosting/credentials/index.ts";
import type { ArrivingCaller, Caller } from "#src/domain/access/permissions/index.ts";
import {
  openVariables,
  sealVariables,
  type Container,
  type Variables,
} from "#src/domain/workspaces/containers/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireProjectAndRead } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId, randomSuffix } from "#src/lib/ids.ts";
import type { Hosting, HostingName } from "#src/platform/hosting/hosting.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { publishRuns } from "./deployment-due.ts";
import { deploymentOfKey, openingOf, storeDeployment, type Deployment } from "./queries/requests.ts";
import { modeOf, settingsOf, type BuildInput } from "./settings.ts";

export interface RequestDeps extends CredentialDeps {
  queue: Pick<Queue, "publishBatch">;
  hosting: Hosting;
  /** Of the containers' variables. */
  secrets: Secrets;
  log: Log;
  config: { PROJECT_RUNTIME: "embedded" | "host" | "sandbox" } & CeilingConfig<"unfinished_deployments">;
}

/** What a person asks to publish. */
export interface DeploymentInput extends BuildInput {
  /** Id or slug. */
  project: string;
  provider: HostingName;
  /** The project's first container when absent. */
  containerId?: string | undefined;
  env: Variables;
  /** Whether the program gets the container's variables, too. */
  includesContainerEnv: boolean;
  idempotencyKey?: string | undefined;
}

const SUFFIX_LENGTH = 6;

/**
 * Requests a deployment. Returns as soon as it is durable; it runs in the background. A repeated idempotency key returns the
 * first deployment.
 *
 * Throws `invalid_input` without a credential, for a build that the runtime cannot run, and for variables that are not
 * allowed; `invalid_body` for a key that was used with another request; `rate_limited` while too many deployments of the
 * project are not over; and as `requireProject` does.
 */
export async function requestDeployment(
  deps: RequestDeps,
  caller: Caller | ArrivingCaller,
  input: DeploymentInput,
): Promise<Deployment> {
  const { userId } = caller;
  const { provider: name, idempotencyKey } = input;
  const { project, read } = await requireProjectAndRead(
    deps,
    caller,
    input.project,
    "deployment.create",
    (projectId) => openingOf(deps.db, { userId, provider: name, projectId, idempotencyKey }),
  );
  const [containers, credentials, [earlier]] = read;
  const requestHash = sha256Hex(JSON.stringify({ ...input, project: project.id, idempotencyKey: null }));
  const replayed = replay(earlier, requestHash);
  if (replayed) return replayed;
  checkEnv(input.env);
  const container = chooseContainer(containers, input.containerId);
  const mode = modeOf(input.provider, input.mode);
  const settings = settingsOf(input, container);
  if (mode === "pre-built" && settings.buildCommand !== null)
    checkBuild(deps.config.PROJECT_RUNTIME, settings.buildCommand);
  const { access, account } = await firstOf(deps, input, credentials);
  const containerEnv = input.includesContainerEnv
    ? withoutOwnNames(await openVariables(deps.secrets, container?.encryptedEnv ?? null))
    : {};
  const { encrypted } = await sealVariables(deps.deploymentSecrets, { ...containerEnv, ...input.env });
  const provider = deps.hosting.provider(name, { requests: 0 });
  const named = container && container.directory !== "" ? `${project.slug}-${container.label}` : project.slug;
  return store(deps, {
    site: {
      id: newId(),
      projectId: project.id,
      containerId: container?.id ?? null,
      userId,
      provider: name,
      account,
      isStandin: access.isStandin,
      name: provider.siteName(named, randomSuffix(SUFFIX_LENGTH)),
    },
    deployment: {
      id: newId(),
      userId,
      mode,
      settings,
      encryptedEnv: encrypted,
      idempotencyKey: idempotencyKey ?? null,
      requestHash,
    },
  });
}

/** Stores a deployment and has it run, or returns the one that another request with the same key has stored in the meantime. */
export async function store(
  deps: Pick<RequestDeps, "db" | "config" | "queue" | "log">,
  parts: { site: Parameters<typeof storeDeployment>[1]; deployment: Parameters<typeof storeDeployment>[2] },
): Promise<Deployment> {
  const { userId, idempotencyKey, requestHash } = parts.deployment;
  try {
    const stored = await storeDeployment(deps, parts.site, parts.deployment);
    if (!stored) throw new AppError("internal", "The deployment was not stored");
    await publishRuns(deps, stored.jobs);
    return stored.deployment;
  } catch (cause) {
    if (isForeignKeyViolation(cause)) {
      throw new AppError("not_found", "The project was deleted in the meantime", { cause });
    }
    if (uniqueViolation(cause) !== "deployments_idempotency_unique") throw cause;
    const [earlier] = await deploymentOfKey(deps.db, userId, idempotencyKey ?? undefined);
    const replayed = replay(earlier, requestHash ?? "");
    if (!replayed) throw cause;
    return replayed;
  }
}

/** The deployment of a repeated idempotency key. Throws `invalid_body` for a key of another request. */
export function replay(earlier: Deployment | undefined, requestHash: string): Deployment | undefined {
  if (earlier && earlier.requestHash !== requestHash)
    throw new AppError("invalid_body", "This Idempotency-Key was used with a different request");
  return earlier;
}

/** The container with this id, or the first one of the project. Throws `not_found` for an id of none. */
function chooseContainer(containers: readonly Container[], id: string | undefined): Container | undefined {
  if (id === undefined) return containers.find(({ containerType }) => containerType === "base");
  const found = containers.find((container) => container.id === id.toLowerCase());
  if (!found) throw new AppError("not_found", "Container not found");
  return found;
}
