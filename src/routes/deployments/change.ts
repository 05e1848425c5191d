import { z } from "zod";
import * as deployments from "#src/domain/hosting/deployments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { Deployment, DeploymentParams, describeDeployment, pathsOf } from "./deployment.ts";

export const cancelDeployment = endpoint({
  operationId: "cancelDeployment",
  method: "post",
  ...pathsOf("/cancel"),
  tag: "Deployments",
  summary: "Cancel a deployment",
  description: "It ends as `cancelled`, unless the provider has finished before.",
  access: { userOrKey: "deployment.create" },
  params: DeploymentParams,
  refusals: [404, 409],
  response: { status: 200, schema: Deployment },
  handler: async ({ services, caller, params }) =>
    describeDeployment(await deployments.cancelDeployment(services, caller, params.deployment)),
});

export const redeployDeployment = endpoint({
  operationId: "redeploy",
  method: "post",
  ...pathsOf("/redeploy"),
  tag: "Deployments",
  summary: "Publish a deployment again",
  description: "A new deployment with the files that this one kept, without a build: the way back.",
  access: { userOrKey: "deployment.create" },
  params: DeploymentParams,
  headers: IdempotencyHeaders,
  refusals: [400, 404, 409, 429, 503],
  response: { status: 200, schema: Deployment },
  handler: async ({ services, caller, params, headers }) =>
    describeDeployment(
      await deployments.redeploy(services, caller, params.deployment, headers["Idempotency-Key"]),
    ),
});

export const deleteDeployment = endpoint({
  operationId: "deleteDeployment",
  method: "delete",
  ...pathsOf(),
  tag: "Deployments",
  summary: "Delete a deployment",
  description:
    "Noted at once. Of the deployment that people see, the site is taken down; the deployment is `deleting` until it is gone.",
  access: { userOrKey: "deployment.delete" },
  params: DeploymentParams,
  refusals: [404],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await deployments.deleteDeployment(services, caller, params.deployment, client);
    return null;
  },
});
