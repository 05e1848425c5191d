import {
  clientFor,
  NO_CLIENT,
  openClient,
  scopeFor,
  sealGivenClient,
} from "#src/domain/agent-work/mcp/oauth-client.ts";
import type { Authorization, StoredClient } from "#src/domain/agent-work/mcp/queries/authorizations.ts";
import type { McpChallenge, McpTokens } from "#src/platform/mcp-client/mcp-client.ts";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";
import type { McpGrant } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { patientSafeFetch } from "#test/support/patient-mcp.ts";

const mcpOAuth = createMcpOAuth({
  safeFetch: patientSafeFetch(),
  publicUrl: "https://conformance-test.local",
});
/** The address at which the suite expects a client's metadata. */
const CLIENT_ID = "https://conformance-test.local/client-metadata.json";

const deps = {
  secrets: createSecrets("a secret key of this test, long enough"),
  mcpOAuth: { ...mcpOAuth, clientDocument: { ...mcpOAuth.clientDocument, client_id: CLIENT_ID } },
};

/** Signs in to a server by the steps of the service, with a browser that agrees to everything; what it has is in memory. */
export function newSignIn(
  url: string,
  given: { client_id?: string | undefined; client_secret?: string | undefined },
) {
  let stored: StoredClient = NO_CLIENT;
  let asked: string | null = null;
  let grant: McpGrant | undefined;
  return {
    tokens(): McpTokens | undefined {
      if (!grant) return undefined;
      const { accessToken: token } = grant;
      return {
        current: async () => ({ token }),
        instead: async () => ({ kind: "needs_authorization", sentence: "The token is no longer taken" }),
      };
    },

    /** Throws what the service would say in place of tokens. */
    async visit(challenge: McpChallenge): Promise<void> {
      if (given.client_id !== undefined && stored.client === null) {
        const secret = given.client_secret ?? null;
        stored = await sealGivenClient(deps, { clientId: given.client_id, clientSecret: secret });
      }
      const discovered = await mcpOAuth.discover(url, challenge);
      stored = await clientFor(deps, rowWith(stored), discovered);
      const client = await openClient(deps, stored);
      const scope = scopeFor([grant && (grant.scope ?? asked), challenge.scope], discovered);
      const { server, resource } = discovered;
      const [state, verifier] = [crypto.randomUUID(), `${crypto.randomUUID()}${crypto.randomUUID()}`];
      const to = { server, client };
      const address = await mcpOAuth.authorizationUrl(to, { state, verifier, resource, scope });
      const back = (await fetch(address, { redirect: "manual" })).headers.get("location");
      const parameters = new URL(back ?? "nowhere:").searchParams;
      await mcpOAuth.checkIssuer(server, parameters);
      grant = await mcpOAuth.exchange(to, { code: parameters.get("code") ?? "", verifier, resource });
      asked = scope;
    },
  };
}

const rowWith = (client: StoredClient): Authorization => ({
  id: "",
  flow: null,
  grantor: null,
  encryptedToken: null,
  encryptedRefreshToken: null,
  expiresAt: null,
  lifetimeSeconds: null,
  refreshingSince: null,
  generation: 0,
  createdAt: new Date(),
  updatedAt: null,
  ...client,
});
