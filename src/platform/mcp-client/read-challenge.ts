import type * as Protocol from "@modelcontextprotocol/client";
import { scopesIn } from "#src/lib/oauth-scopes.ts";
import type { McpChallenge } from "./mcp-client.ts";

/** What a refusal with 401 or 403 says about the authorization that its server wants. */
export function readChallenge(protocol: typeof Protocol, answer: Response): McpChallenge {
  const { resourceMetadataUrl, scope, error } = protocol.extractWWWAuthenticateParams(answer);
  return {
    resourceMetadata: resourceMetadataUrl?.href,
    scope: scopesIn(scope) ?? undefined,
    isForScope: answer.status === 403 && error === "insufficient_scope",
  };
}
