import { z } from "zod";
import { DEPLOYMENT_STATUSES } from "#src/db/schema/index.ts";
import { readLogs, requireDeployment } from "#src/domain/hosting/deployments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { Deployment, DeploymentParams, describeDeployment, pathsOf } from "./deployment.ts";

export const getDeployment = endpoint({
  operationId: "getDeployment",
  method: "get",
  ...pathsOf(),
  tag: "Deployments",
  summary: "Get a deployment",
  access: { userOrKey: "deployment.view" },
  params: DeploymentParams,
  refusals: [404],
  response: { status: 200, schema: Deployment },
  async handler({ services, caller, params }) {
    const { deployment } = await requireDeployment(services, caller, params.deployment, "deployment.view");
    return describeDeployment(deployment, await readLogs(services, deployment.id));
  },
});

export const getDeploymentStatus = endpoint({
  operationId: "getDeploymentStatus",
  method: "get",
  ...pathsOf("/status"),
  tag: "Deployments",
  summary: "Get a deployment's status",
  access: { userOrKey: "deployment.view" },
  params: DeploymentParams,
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(DEPLOYMENT_STATUSES),
      deployment_url: z.string().nullable(),
      provider_status: z
        .object({ state: z.string(), deployment_id: z.string().nullable() })
        .nullable()
        .describe("What the provider says; null before it was asked"),
      error: z.string().nullable(),
      updated_at: Moment,
    }),
  },
  async handler({ services, caller, params }) {
    const { deployment } = await requireDeployment(services, caller, params.deployment, "deployment.view");
    const { status, url, providerStatus, providerDeploymentId, error, updatedAt, createdAt } = deployment;
    return {
      status,
      deployment_url: url,
      provider_status:
        providerStatus === null ? null : { state: providerStatus, deployment_id: providerDeploymentId },
      error,
      updated_at: (updatedAt ?? createdAt).toISOString(),
    };
  },
});

export const getDeploymentLogs = endpoint({
  operationId: "getDeploymentLogs",
  method: "get",
  ...pathsOf("/logs"),
  tag: "Deployments",
  summary: "Get a deployment's log",
  description: "Lines, oldest first. Those of the provider come after the line `=== Provider Logs ===`.",
  access: { userOrKey: "deployment.view" },
  params: DeploymentParams,
  refusals: [404],
  response: { status: 200, schema: z.array(z.string()) },
  async handler({ services, caller, params }) {
    const { deployment } = await requireDeployment(services, caller, params.deployment, "deployment.view");
    return readLogs(services, deployment.id);
  },
});
