import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** Path parameters of every project route: id or slug. */
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

const EnvironmentStatus = z
  .enum(["provisioning", "setup_failed", "starting", "active", "stopping", "stopped", "hibernated", "error"])
  .describe("`status` in the terms that existing clients use");

/** A project's state, with the same field names as in other endpoints. */
export const StatusFields = {
  status: ProjectStatus,
  environment_status: EnvironmentStatus,
  compute_tier: z.enum(["none", "environment"]),
  error: z.string().nullable().describe("Why the last change of state failed"),
  files_lost_at: Moment.nullable().describe(
    "When it was found that the project's files are lost and in no snapshot; it does nothing until a person begins it anew",
  ),
};

/** A project, with the field names of both client families. */
export const Project = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    source_type: z.string(),
    visibility: z.enum(["private", "team", "public"]),
    owner_id: z.uuid(),
    team_id: z.uuid(),
    created_at: Moment,
    updated_at: Moment.nullable(),
    last_activity: Moment.nullable(),
    project_kind: z.literal("workspace"),
    network_name: z.null(),
    hibernated_at: Moment.nullable(),
    deployed_at: Moment.nullable().describe("Since when the project is always on; null when it is not"),
    ...StatusFields,
  })
  .meta({ id: "Project" });

/** A project's state under all its field names. */
export function describeStatus(project: projects.Project, status: Status = projects.shownStatus(project)) {
  return {
    status,
    environment_status: environmentStatus(project, status),
    compute_tier: status === "running" ? ("environment" as const) : ("none" as const),
    error: project.error,
    files_lost_at: project.lostAt?.toISOString() ?? null,
  };
}

const ENVIRONMENT_STATUS = {
  initializing: "provisioning",
  failed: "setup_failed",
  starting: "starting",
  running: "active",
  stopped: "stopped",
  hibernated: "hibernated",
} as const;

function environmentStatus(
  { wanted, error }: projects.Project,
  status: Status,
): z.infer<typeof EnvironmentStatus> {
  if (wanted === "hibernated" || (wanted === "stopped" && status === "running")) return "stopping";
  return status === "stopped" && error !== null ? "error" : ENVIRONMENT_STATUS[status];
}

/** Describes a project. `status` replaces the stored state in a response that announces another one. */
export function describeProject(project: projects.Project, status?: Status): z.input<typeof Project> {
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
    hibernated_at: project.hibernatedAt?.toISOString() ?? null,
    deployed_at: project.deployedAt?.toISOString() ?? null,
    ...describeStatus(project, status),
  };
}
