import { randomBytes } from "node:crypto";
import {
  auth,
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { REDIRECT_URI } from "./oauth-client.ts";

/** What the official client keeps between its steps. */
export class TestProvider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    client_name: "Test client",
    redirect_uris: [REDIRECT_URI],
    application_type: "native",
    token_endpoint_auth_method: "none",
  };
  readonly sentState = randomBytes(8).toString("hex");
  sentTo: URL | undefined;
  held: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";

  state = () => this.sentState;
  clientInformation = () => this.#client;
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens = () => this.held;
  saveTokens(tokens: OAuthTokens) {
    this.held = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  /** Whatever the service refused is forgotten. */
  invalidateCredentials() {
    this.held = undefined;
  }
  discoveryState = () => this.#discovered;
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }
  codeVerifier = () => this.#verifier;
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
}

/** The official client, which gets its tokens from the provider. Throws `UnauthorizedError` before a person has allowed it. */
export async function connectApp(url: string, authProvider: OAuthClientProvider, path = "/mcp") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StreamableHTTPClientTransport(new URL(path, url), { authProvider });
  await client.connect(transport);
  return client;
}

export { auth };
