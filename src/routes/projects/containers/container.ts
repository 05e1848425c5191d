import { z } from "zod";
import {
  containerUrl,
  hasPreviewPaths,
  effectivePort,
  injectedKeys,
  MAX_VALUE_LENGTH,
  previewPath,
  VARIABLE_NAME,
  withContainers,
  withoutOutput,
  type Connection,
  type Container as StoredContainer,
  type OpenedContainer,
  type PreviewAddresses,
} from "#src/domain/workspaces/containers/index.ts";
import { Moment, text } from "#src/http/schemas.ts";
import type { Services } from "#src/services.ts";

/** Path parameters of every route of one container. */
export const ContainerParams = z.object({
  project: z.string().describe("Id or slug of the project"),
  container: z.string().describe("Id of the container"),
});

const ContainerStatus = z.enum(["stopped", "starting", "running", "failed", "connected"]);

/** Variables that a client sets. Responses never contain the values; a person can reveal one at a time. */
export const Variables = z.record(
  z
    .string()
    .regex(VARIABLE_NAME, "must consist of letters, digits and underscores, and not begin with a digit"),
  text({ max: MAX_VALUE_LENGTH }),
);

export const Name = text({ min: 1, max: 100, trim: true });
export const Port = z.number().int().min(1, "must be from 1 to 65535").max(65_535, "must be from 1 to 65535");

export const Container = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    base_id: z.string().nullable(),
    base_name: z.null(),
    name: z.string(),
    label: z.string().describe("Name of the container in its address"),
    directory: z.string().describe("Relative to the project; its root is `.`"),
    container_name: z.string(),
    port: z.number().nullable().describe("The requested port"),
    internal_port: z.number().describe("The port that its program receives as PORT"),
    environment_vars: z.null().describe("Values are shown one at a time: POST …/secrets/{variable}/reveal"),
    env_var_keys: z.array(z.string()),
    env_vars_count: z.number(),
    image: z.string().nullable(),
    container_type: z.enum(["base", "service"]),
    service_slug: z.string().nullable(),
    service_type: z.string().nullable(),
    deployment_mode: z.enum(["container", "external"]),
    external_endpoint: z.string().nullable(),
    credentials_id: z.uuid().nullable().describe("Set when there are credentials"),
    injected_env_vars: z
      .array(z.object({ key: z.string(), source_container_name: z.string(), source_container_id: z.uuid() }))
      .nullable(),
    service_outputs: z.null(),
    startup_command: z.string().nullable(),
    build_command: z.string().nullable(),
    output_directory: z.string().nullable(),
    framework: z.string().nullable(),
    deployment_provider: z.string().nullable(),
    icon: z.string().nullable(),
    tech_stack: z.array(z.string()),
    position_x: z.number(),
    position_y: z.number(),
    status: ContainerStatus,
    error: z.string().nullable().describe("Why the container failed, or a warning while it runs"),
    url: z.string().nullable().describe("Address of the container while it runs"),
    preview_path: z.string().nullable(),
    created_at: Moment,
    updated_at: Moment.nullable(),
  })
  .meta({ id: "Container" });

/** Further data for the description of a container. */
interface Surroundings {
  config: PreviewAddresses & Parameters<typeof hasPreviewPaths>[0];
  project: { slug: string };
  connections: readonly Connection[];
  containers: readonly StoredContainer[];
}

export function describeContainer(
  container: StoredContainer,
  around: Surroundings,
): z.input<typeof Container> {
  const { project, connections, containers } = around;
  const injected = injectedKeys(container.id, connections, containers);
  return {
    id: container.id,
    project_id: container.projectId,
    base_id: container.baseId,
    base_name: null,
    name: container.name,
    label: container.label,
    directory: container.directory || ".",
    container_name: `${project.slug}-${container.label}`,
    port: container.port,
    internal_port: effectivePort(container),
    environment_vars: null,
    env_var_keys: container.envKeys,
    env_vars_count: container.envKeys.length,
    image: container.image,
    container_type: container.containerType,
    service_slug: container.serviceSlug,
    service_type: container.serviceType,
    deployment_mode: container.deploymentMode,
    external_endpoint: container.externalEndpoint,
    credentials_id: container.encryptedCredentials === null ? null : container.id,
    injected_env_vars: injected.length > 0 ? injected : null,
    service_outputs: null,
    startup_command: container.startupCommand,
    build_command: container.buildCommand,
    output_directory: container.outputDirectory,
    framework: container.framework,
    deployment_provider: container.deploymentProvider,
    icon: container.icon,
    tech_stack: container.techStack,
    position_x: container.positionX,
    position_y: container.positionY,
    status: container.status,
    error: container.error,
    ...addressesOf(container, around),
    created_at: container.createdAt.toISOString(),
    updated_at: container.updatedAt?.toISOString() ?? null,
  };
}

/**
 * The container after a change. The error omits the program's output, because the permission to change a container does
 * not include its log.
 */
export async function describeChanged(
  services: Services,
  { project, container }: OpenedContainer,
): Promise<z.input<typeof Container>> {
  const around = await withContainers(services, project);
  const error = container.error === null ? null : withoutOutput(container.error);
  return describeContainer({ ...container, error }, { ...around, config: services.config });
}

/** The addresses of a container: a running one has its own host name, an external one its endpoint. */
export function addressesOf(
  { status, label, externalEndpoint }: StoredContainer,
  { config, project }: Pick<Surroundings, "config" | "project">,
): { url: string | null; preview_path: string | null } {
  if (status === "connected") return { url: externalEndpoint, preview_path: null };
  if (status !== "running") return { url: null, preview_path: null };
  return {
    url: containerUrl(config, project.slug, label),
    preview_path: hasPreviewPaths(config) ? previewPath(project.slug, label) : null,
  };
}
