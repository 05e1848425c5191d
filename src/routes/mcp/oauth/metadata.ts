import { z } from "zod";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { MCP_PATHS, mcpAddressAt } from "#src/lib/mcp-address.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { CLIENT_SCOPES, SERVER } from "#src/mcp/server/index.ts";

const SCOPES = CLIENT_SCOPES.map(({ scope }) => scope);

const Resource = z
  .object({
    resource: z.url(),
    resource_name: z.string(),
    authorization_servers: z.array(z.url()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
  })
  .meta({ id: "ProtectedResource" });

/** The description of the MCP server at one of its paths; without one, at its own. */
function resourceAt(operationId: string, at: string, path: string): Endpoint {
  return endpoint({
    operationId,
    method: "get",
    path: `/.well-known/oauth-protected-resource${at}`,
    tag: "MCP",
    summary: "Describe the protected resource",
    description: "Where a client of MCP signs in, and which permissions there are (RFC 9728).",
    access: "public",
    response: { status: 200, schema: Resource },
    handler: async ({ services: { config }, request }) => ({
      resource: mcpAddressAt(request.url, path, config),
      resource_name: SERVER.title,
      authorization_servers: [withoutSlash(config.PUBLIC_URL)],
      scopes_supported: SCOPES,
      bearer_methods_supported: ["header"],
    }),
  });
}

const [OWN, OTHER, LONGEST] = MCP_PATHS;

/** A resource must be described under the address at which its client calls it. */
export const resourceMetadata: readonly Endpoint[] = [
  resourceAt("describeProtectedResource", "", OWN),
  resourceAt("describeMcpResource", OWN, OWN),
  resourceAt("describeMcpResourceElsewhere", OTHER, OTHER),
  resourceAt("describeMcpResourceAtLongPath", LONGEST, LONGEST),
];

export const serverMetadata = endpoint({
  operationId: "describeAuthorizationServer",
  method: "get",
  path: "/.well-known/oauth-authorization-server",
  tag: "MCP",
  summary: "Describe the authorization server",
  description: "The addresses at which clients of MCP register, sign in and get tokens (RFC 8414).",
  access: "public",
  response: {
    status: 200,
    schema: z
      .object({
        issuer: z.url(),
        authorization_endpoint: z.url(),
        token_endpoint: z.url(),
        registration_endpoint: z
          .url()
          .optional()
          .describe("Absent where `MCP_CLIENT_REGISTRATION` is `false`"),
        revocation_endpoint: z.url(),
        scopes_supported: z.array(z.string()),
        response_types_supported: z.array(z.string()),
        response_modes_supported: z.array(z.string()),
        grant_types_supported: z.array(z.string()),
        token_endpoint_auth_methods_supported: z.array(z.string()),
        revocation_endpoint_auth_methods_supported: z.array(z.string()),
        code_challenge_methods_supported: z.array(z.string()),
        authorization_response_iss_parameter_supported: z.boolean(),
        client_id_metadata_document_supported: z.boolean(),
        service_documentation: z.url(),
      })
      .meta({ id: "AuthorizationServer" }),
  },
  async handler({ services: { config } }) {
    const issuer = withoutSlash(config.PUBLIC_URL);
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      ...(config.MCP_CLIENT_REGISTRATION && { registration_endpoint: `${issuer}/oauth/register` }),
      revocation_endpoint: `${issuer}/oauth/revoke`,
      scopes_supported: SCOPES,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${issuer}/docs`,
    };
  },
});
