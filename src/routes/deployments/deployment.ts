import { z } from "zod";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES } from "#src/db/schema/index.ts";
import { HOSTING_NAMES } from "#src/domain/hosting/credentials/index.ts";
import type { Deployment as Row } from "#src/domain/hosting/deployments/index.ts";
import { Moment } from "#src/http/schemas.ts";

export const DeploymentParams = z.object({ deployment: z.string() });

/** The paths of an endpoint of one deployment, which existing clients know by a longer one. */
export const pathsOf = (ending = "") => ({
  path: `/api/deployments/:deployment${ending}`,
  aliases: [`/api/deployments/deployment/:deployment${ending}`],
});

/** A deployment as its project's people see it. */
export const Deployment = z
  .object({
    id: z.uuid(),
    project_id: z.uuid().nullable().describe("Null once the project is deleted"),
    user_id: z.uuid().describe("Who requested it"),
    container_id: z.uuid().nullable(),
    provider: z.enum(HOSTING_NAMES),
    deployment_mode: z.enum(DEPLOYMENT_MODES),
    deployment_id: z.string().nullable().describe("The provider's id"),
    deployment_url: z.string().nullable().describe("Where people see it"),
    status: z.enum(DEPLOYMENT_STATUSES),
    provider_status: z.string().nullable().describe("The provider's own word"),
    version: z.int().describe("Counts the deployments of a site"),
    redeploy_of: z.uuid().nullable().describe("The deployment whose files it publishes again"),
    is_kept: z.boolean().describe("Whether its files are kept, so that it can be published again"),
    branch: z.string().nullable(),
    commit_sha: z.string().nullable(),
    logs: z.array(z.string()).nullable().describe("Null in lists"),
    error: z.string().nullable(),
    created_at: Moment,
    updated_at: Moment,
    completed_at: Moment.nullable(),
  })
  .meta({ id: "Deployment" });

export function describeDeployment(row: Row, logs: string[] | null = null): z.input<typeof Deployment> {
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    container_id: row.containerId,
    provider: row.provider,
    deployment_mode: row.mode,
    deployment_id: row.providerDeploymentId,
    deployment_url: row.url,
    status: row.status,
    provider_status: row.providerStatus,
    version: row.version,
    redeploy_of: row.redeployOf,
    is_kept: row.status === "success" && (row.bundle !== null || row.commitSha !== null),
    branch: row.settings.branch,
    commit_sha: row.commitSha,
    logs,
    error: row.error,
    created_at: row.createdAt.toISOString(),
    updated_at: (row.updatedAt ?? row.createdAt).toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
  };
}
