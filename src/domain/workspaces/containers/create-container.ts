import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { normalizeDirectory, normalizePath } from "#src/lib/project-path.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { requireEndpoint, type EndpointCheck } from "./external-endpoint.ts";
import { sealVariables, type Variables } from "./environment.ts";
import { freeDirectory, freeLabel, freeName } from "./names.ts";
import { guessPort, requireUsablePort, type RuntimePorts } from "./ports.ts";
import { containersOf, insertContainer, type Container, type NewContainer } from "./queries.ts";
import type { OpenedContainer } from "./require-container.ts";

/** Attempts to find a free name when concurrent requests take the same one. */
const MAX_DRAWS = 10;

export interface CreateDeps extends EndpointCheck {
  db: Db;
  config: CeilingConfig<"containers">;
  secrets: Pick<Secrets, "encrypt">;
  workspaces: { runtime(projectId: string): RuntimePorts };
}

/** The fields that a client may set for a new container; the rest follows from the name. */
export interface ContainerInput extends Partial<
  Pick<
    NewContainer,
    | "baseId"
    | "image"
    | "serviceSlug"
    | "serviceType"
    | "deploymentProvider"
    | "containerType"
    | "deploymentMode"
    | "externalEndpoint"
    | "port"
    | "startupCommand"
    | "buildCommand"
    | "outputDirectory"
    | "framework"
    | "positionX"
    | "positionY"
  >
> {
  name: string;
  /** Relative to the project; derived from the name when absent. */
  directory?: string | undefined;
  env?: Variables;
  credentials?: Variables | undefined;
}

/**
 * Adds a container to a project. Its name, directory and label receive a number if another container has them. Throws
 * as `requireProject` does, `invalid_input` for invalid fields, `conflict` when the project has too many containers.
 */
export async function createContainer(
  deps: CreateDeps,
  caller: Caller,
  idOrSlug: string,
  input: ContainerInput,
): Promise<OpenedContainer> {
  const project = await requireProject(deps, caller, idOrSlug, "container.create");
  return { project, container: await addContainer(deps, project, input) };
}

/** As `createContainer`, after the access check. */
export async function addContainer(
  deps: CreateDeps,
  project: { id: string; slug: string },
  input: ContainerInput,
): Promise<Container> {
  const settled = await settle(deps, input, deps.workspaces.runtime(project.id));
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const others = await containersOf(deps.db, project.id);
    const name = freeName(input.name, others);
    try {
      const made = await insertContainer(deps, {
        ...settled,
        id: newId(),
        projectId: project.id,
        name,
        label: freeLabel(name, project.slug, others),
        directory: settled.directory ?? freeDirectory(name, others),
      });
      if (made) return made;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new AppError("not_found", "Project not found");
      if (uniqueViolation(error) !== "containers_label_unique") throw error;
    }
  }
  throw new AppError("conflict", "Another request is adding containers to the project: try again");
}

/** Settles the fields that do not depend on the other containers. */
async function settle(
  deps: CreateDeps,
  { name, env = {}, credentials = {}, ...input }: ContainerInput,
  runtime: RuntimePorts,
) {
  const isExternal = input.deploymentMode === "external";
  if (!isExternal) requireUsablePort(input.port, runtime);
  if (isExternal) requireEndpoint(deps, input.externalEndpoint ?? null);
  const [variables, access] = await Promise.all([
    sealVariables(deps.secrets, env),
    sealVariables(deps.secrets, credentials),
  ]);
  const isProgram = !isExternal && input.containerType !== "service";
  const guess = isProgram
    ? guessPort(`${input.framework ?? ""} ${input.baseId ?? ""} ${name}`, runtime)
    : null;
  // A container without files of its own has no directory.
  const directory = isProgram ? input.directory : (input.directory ?? "");
  return {
    ...input,
    directory: directory === undefined ? undefined : normalizeDirectory(directory),
    outputDirectory: input.outputDirectory ? normalizePath(input.outputDirectory) : null,
    externalEndpoint: isExternal ? (input.externalEndpoint ?? null) : null,
    port: input.port ?? guess,
    status: isExternal ? ("connected" as const) : ("stopped" as const),
    encryptedEnv: variables.encrypted,
    envKeys: variables.keys,
    encryptedCredentials: access.encrypted,
  };
}
