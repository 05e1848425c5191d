import { z } from "zod";
import * as credentials from "#src/domain/hosting/credentials/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { CredentialParams } from "./credential.ts";

export const deleteCredential = endpoint({
  operationId: "deleteDeploymentCredential",
  method: "delete",
  path: "/api/deployment-credentials/:deployment_credential",
  summary: "Delete a deployment credential",
  description: "Deletes the stored token. Sites at the provider stay.",
  tag: "Deployment credentials",
  access: { user: "any" },
  params: CredentialParams,
  refusals: [404],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await credentials.deleteCredential(services, caller, params.deployment_credential, client);
    return null;
  },
});
