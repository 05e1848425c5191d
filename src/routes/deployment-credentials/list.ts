import { z } from "zod";
import { HOSTING_NAMES, listCredentials, listProviders } from "#src/domain/hosting/credentials/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Credential, describeCredential } from "./credential.ts";

export const listCredentialsOfPerson = endpoint({
  operationId: "listDeploymentCredentials",
  method: "get",
  path: "/api/deployment-credentials",
  aliases: ["/api/deployments/credentials"],
  summary: "List deployment credentials",
  description: "The caller's credentials at hosting providers. A project's own is used before the default.",
  tag: "Deployment credentials",
  access: { user: "any" },
  query: z.object({
    provider: text({ max: 100 }).optional(),
    project_id: z.uuid().optional().describe("Only those of this project; leaves out the defaults"),
  }),
  response: { status: 200, schema: z.object({ credentials: z.array(Credential) }) },
  async handler({ services, caller, query }) {
    const filter = { provider: query.provider, projectId: query.project_id };
    return { credentials: (await listCredentials(services, caller, filter)).map(describeCredential) };
  },
});

const Provider = z
  .object({
    name: z.enum(HOSTING_NAMES),
    display_name: z.string(),
    description: z.string(),
    auth_type: z.enum(["oauth", "api_token"]).describe("`oauth` where accounts can be connected by OAuth"),
    required_fields: z
      .array(z.string())
      .describe("What is entered to connect by token: the token, under the provider's name for it, first"),
    optional_fields: z.array(z.string()),
    deployment_modes: z.array(z.enum(["source", "pre-built"])).describe("The default first"),
  })
  .meta({ id: "HostingProvider" });

export const listHostingProviders = endpoint({
  operationId: "listHostingProviders",
  method: "get",
  path: "/api/deployment-credentials/providers",
  summary: "List hosting providers",
  tag: "Deployment credentials",
  access: "public",
  response: { status: 200, schema: z.object({ providers: z.array(Provider) }) },
  handler: async ({ services }) => ({
    providers: listProviders(services).map((provider) => ({
      name: provider.name,
      display_name: provider.label,
      description: provider.description,
      auth_type: provider.hasOAuth ? ("oauth" as const) : ("api_token" as const),
      required_fields: [provider.tokenField, ...provider.requiredMetadata],
      optional_fields: [...provider.optionalMetadata],
      deployment_modes: [...provider.modes],
    })),
  }),
});
