import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { normalizeDirectory, normalizePath } from "#src/lib/project-path.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { openVariables, sealVariables, type Variables } from "./environment.ts";
import { requireEndpoint, type EndpointCheck } from "./external-endpoint.ts";
import { freeLabel } from "./names.ts";
import { requireUsablePort, type RuntimePorts } from "./ports.ts";
import {
  containersOf,
  replaceVariables,
  updateContainerRow,
  type Container,
  type ContainerChange,
} from "./queries.ts";
import {
  noContainer,
  openContainer,
  requireContainer,
  type ContainerPath,
  type OpenedContainer,
} from "./require-container.ts";

/** Attempts to write variables that concurrent requests change. */
const MAX_TRIES = 5;

export interface ContainerPatch extends Pick<
  ContainerChange,
  | "name"
  | "directory"
  | "port"
  | "startupCommand"
  | "buildCommand"
  | "outputDirectory"
  | "framework"
  | "icon"
  | "techStack"
  | "positionX"
  | "positionY"
> {
  setVariables?: Variables | undefined;
  deleteVariables?: readonly string[] | undefined;
}

interface UpdateDeps {
  db: Db;
  secrets: Secrets;
}

interface PatchDeps extends UpdateDeps {
  workspaces: { runtime(projectId: string): RuntimePorts };
}

/**
 * Changes a container; absent fields stay. A running program sees the change at its next start. Throws as
 * `openContainer` does, and `invalid_input` for invalid fields, including the name of another container.
 */
export async function updateContainer(
  deps: PatchDeps,
  caller: Caller,
  path: ContainerPath,
  patch: ContainerPatch,
): Promise<OpenedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.edit");
  if (container.deploymentMode === "container") {
    requireUsablePort(patch.port, deps.workspaces.runtime(project.id));
  }
  const { setVariables, deleteVariables, name, directory, outputDirectory: output, ...rest } = patch;
  const change: ContainerChange = {
    ...rest,
    ...(directory !== undefined && { directory: normalizeDirectory(directory) }),
    ...(output !== undefined && { outputDirectory: output === null ? null : normalizePath(output) }),
    ...(name !== undefined && name !== container.name && (await newName(deps, project, container, name))),
  };
  if (setVariables ?? deleteVariables) await changeVariables(deps, container, setVariables, deleteVariables);
  return { project, container: await store(deps.db, container.id, change) };
}

/**
 * Renames a container, which also changes its address; its files stay where they are. Throws as `openContainer` does,
 * `invalid_input` for a name that another container has or that has no letter or digit.
 */
export async function renameContainer(
  deps: { db: Db },
  caller: Caller,
  path: ContainerPath,
  name: string,
): Promise<OpenedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.edit");
  if (name === container.name) return { project, container };
  const change = await newName(deps, project, container, name);
  return { project, container: await store(deps.db, container.id, change) };
}

/**
 * Sets the credentials of an external container. Throws as `openContainer` does, `invalid_input` for any other
 * container.
 */
export async function setCredentials(
  deps: UpdateDeps & EndpointCheck,
  caller: Caller,
  path: ContainerPath,
  access: { credentials: Variables; externalEndpoint?: string | undefined },
): Promise<OpenedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.edit");
  if (container.deploymentMode !== "external") {
    throw new AppError("invalid_input", "Only external containers have credentials");
  }
  const { credentials, externalEndpoint } = access;
  if (externalEndpoint !== undefined) requireEndpoint(deps, externalEndpoint);
  const { encrypted } = await sealVariables(deps.secrets, credentials);
  const change = { encryptedCredentials: encrypted, externalEndpoint };
  return { project, container: await store(deps.db, container.id, change) };
}

/** Sets where a container is deployed; null for nowhere. Throws as `openContainer` does. */
export async function setDeploymentTarget(
  deps: { db: Db },
  caller: Caller,
  path: ContainerPath,
  provider: string | null,
): Promise<OpenedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.edit");
  return { project, container: await store(deps.db, container.id, { deploymentProvider: provider }) };
}

async function newName(
  { db }: { db: Db },
  { id, slug }: { id: string; slug: string },
  container: Container,
  name: string,
): Promise<Pick<Container, "name" | "label">> {
  // Letters of any script are allowed, because people read the name, although the address keeps only Latin letters.
  if (!/[\p{L}\p{N}]/u.test(name)) throw new AppError("invalid_input", "The name needs a letter or a digit");
  const others = (await containersOf(db, id)).filter((other) => other.id !== container.id);
  if (others.some((other) => other.name === name)) {
    throw new AppError("invalid_input", "Another container of the project has this name");
  }
  return { name, label: freeLabel(name, slug, others) };
}

/**
 * Sets and removes variables. Concurrent changes both take effect: each is applied to the variables stored at that
 * moment.
 */
export async function changeVariables(
  deps: UpdateDeps,
  container: Container,
  set: Variables = {},
  remove: readonly string[] = [],
): Promise<void> {
  let current = container;
  for (let tried = 1; tried <= MAX_TRIES; tried += 1) {
    const variables = { ...(await openVariables(deps.secrets, current.encryptedEnv)), ...set };
    for (const name of remove) delete variables[name];
    const sealed = await sealVariables(deps.secrets, variables);
    const [replaced] = await replaceVariables(deps.db, current.id, current.encryptedEnv, sealed);
    if (replaced) return;
    current = await requireContainer(deps, current.projectId, current.id);
  }
  throw new AppError("conflict", "Another request is changing the container's variables: try again");
}

async function store(db: Db, containerId: string, change: ContainerChange): Promise<Container> {
  try {
    const [updated] = await updateContainerRow(db, containerId, change);
    if (!updated) throw noContainer();
    return updated;
  } catch (error) {
    if (uniqueViolation(error) !== "containers_label_unique") throw error;
    throw new AppError("conflict", "Another request is changing the project's containers: try again");
  }
}
