import { z } from "zod";
import type { Project as StoredProject } from "#src/domain/projects/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** Path of every project route: a project's id or slug. */
export const ProjectParams = z.object({ project: z.string().describe("Id or slug of the project") });

export const ProjectStatus = z.enum([
  "initializing",
  "starting",
  "running",
  "stopped",
  "hibernated",
  "failed",
]);
type Status = z.infer<typeof ProjectStatus>;

/** A project, under the names of both client families. */
export const Project = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    source_type: z.string(),
    status: ProjectStatus,
    visibility: z.enum(["private", "team", "public"]),
    owner_id: z.uuid(),
    team_id: z.uuid(),
    created_at: Moment,
    updated_at: Moment.nullable(),
    last_activity: Moment.nullable(),
    environment_status: z.string().describe("`status`, in the words of other clients"),
    compute_tier: z.enum(["none", "environment"]),
    project_kind: z.literal("workspace"),
    network_name: z.null(),
    hibernated_at: Moment.nullable(),
  })
  .meta({ id: "Project" });

const ENVIRONMENT_STATUS: Record<Status, string> = {
  initializing: "provisioning",
  starting: "starting",
  running: "active",
  stopped: "stopped",
  hibernated: "hibernated",
  failed: "error",
};

/** A status under all its names. */
export function describeStatus(status: Status) {
  return {
    status,
    environment_status: ENVIRONMENT_STATUS[status],
    compute_tier: status === "running" ? ("environment" as const) : ("none" as const),
  };
}

export function describeProject(
  project: StoredProject,
  status: Status = project.status,
): z.input<typeof Project> {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    description: project.description,
    source_type: project.sourceType,
    visibility: project.visibility,
    owner_id: project.ownerId,
    team_id: project.teamId,
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt?.toISOString() ?? null,
    last_activity: project.lastActivity?.toISOString() ?? null,
    project_kind: "workspace",
    network_name: null,
    hibernated_at: null,
    ...describeStatus(status),
  };
}
