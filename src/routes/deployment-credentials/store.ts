import { z } from "zod";
import { showCredential, storeCredential, updateCredential } from "#src/domain/hosting/credentials/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { Credential, CredentialParams, describeCredential, GivenMetadata, Token } from "./credential.ts";

const Tokens = z.object({
  access_token: Token.nullish(),
  api_token: Token.nullish().describe("Another name of `access_token`, as providers call it"),
  token: Token.nullish().describe("Another name of `access_token`"),
  api_key: Token.nullish().describe("Another name of `access_token`"),
});

/** The token of a body, under whichever of its names. */
function tokenIn(body: z.output<typeof Tokens>): string | undefined {
  return body.access_token ?? body.api_token ?? body.token ?? body.api_key ?? undefined;
}

export const createCredential = endpoint({
  operationId: "createDeploymentCredential",
  method: "post",
  path: "/api/deployment-credentials",
  summary: "Store a deployment credential",
  description:
    "Replaces the credential that the caller has for the provider and project. It is used only for deployments of the caller.",
  tag: "Deployment credentials",
  access: { user: "any" },
  example: { provider: "netlify", access_token: "nfp_example" },
  body: Tokens.extend({
    provider: text({ min: 1, max: 100, trim: true }),
    metadata: GivenMetadata.nullish(),
    project_id: text({ min: 1, max: 100 })
      .nullish()
      .describe("Id or slug of the project; without one it is the default of all projects"),
  }),
  refusals: [400, 403, 404],
  response: { status: 201, schema: Credential },
  async handler({ services, caller, body, client }) {
    const token = tokenIn(body);
    if (token === undefined) throw new AppError("invalid_body", "access_token: is required");
    const { provider, project_id: project = null } = body;
    const wish = { provider, token, metadata: body.metadata ?? {}, project };
    const stored = await storeCredential(services, caller, wish, client);
    return describeCredential(await showCredential(services, stored));
  },
});

export const changeCredential = endpoint({
  operationId: "updateDeploymentCredential",
  method: "put",
  path: "/api/deployment-credentials/:deployment_credential",
  summary: "Change a deployment credential",
  description: "Absent fields are unchanged. Metadata is merged; a null removes its field.",
  tag: "Deployment credentials",
  access: { user: "any" },
  params: CredentialParams,
  example: { access_token: "nfp_example" },
  body: Tokens.extend({ metadata: GivenMetadata.nullish() }),
  refusals: [400, 403, 404, 409],
  response: { status: 200, schema: Credential },
  async handler({ services, caller, params, body, client }) {
    const change = {
      id: params.deployment_credential,
      token: tokenIn(body),
      metadata: body.metadata ?? {},
    };
    const changed = await updateCredential(services, caller, change, client);
    return describeCredential(await showCredential(services, changed));
  },
});
