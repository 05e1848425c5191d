import { z } from "zod";
import * as credentials from "#src/domain/hosting/credentials/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { CredentialParams } from "./credential.ts";

export const testCredential = endpoint({
  operationId: "testDeploymentCredential",
  method: "post",
  path: "/api/deployment-credentials/test/:deployment_credential",
  summary: "Test a deployment credential",
  description: "Asks the provider for the credential's account.",
  tag: "Deployment credentials",
  access: { user: "any" },
  params: CredentialParams,
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({
      valid: z.boolean(),
      error: z.string().optional().describe("Why it is not valid, or could not be tested"),
      provider_info: z.object({ account_id: z.string(), account_name: z.string() }).optional(),
    }),
  },
  async handler({ services, caller, params }) {
    const wanted = { userId: caller.userId, id: params.deployment_credential };
    const outcome = await credentials.testCredential(services, wanted);
    if (!outcome.isValid) return { valid: false, error: outcome.reason };
    const { id, name } = outcome.account;
    return { valid: true, provider_info: { account_id: id, account_name: name } };
  },
});
