/** What an authorization server says of itself, as far as a flow and its tokens need it. It can be stored as JSON. */
export interface AuthorizationServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Null where it registers no clients (RFC 7591). */
  registrationEndpoint: string | null;
  /** Null where it revokes no tokens (RFC 7009). */
  revocationEndpoint: string | null;
  /** How clients authenticate at the token endpoint; empty where it does not say. */
  authMethods: string[];
  /** Whether a client's id may be the address of its metadata. */
  takesClientDocuments: boolean;
  /** Whether it promises `iss` in its answers to the browser (RFC 9207). */
  namesItself: boolean;
}

/** What was found out about the authorization that a server wants. */
export interface Discovered {
  server: AuthorizationServer;
  /** The server as its tokens name it (RFC 8707). */
  resource: string;
  /** Scopes that its metadata name; null for none. */
  scope: string | null;
  /** Whether the authorization server must be asked for refresh tokens by a scope of their own. */
  offersOfflineAccess: boolean;
}

/** This service as an authorization server knows it. */
export interface OAuthClient {
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** How it authenticates, as its registration says; null where that is not said. */
  authMethod: string | null;
}

export interface RegisteredClient extends OAuthClient {
  /** Null for a secret that does not expire. */
  secretExpiresAt: Date | null;
}

export interface McpGrant {
  accessToken: string;
  /** Null where none was given. */
  refreshToken: string | null;
  /** Null for a token that does not expire, as far as is known. */
  lifetimeSeconds: number | null;
  /** Null where the answer does not say. */
  scope: string | null;
}

/** What an answer with 401 or 403 says about the authorization that its server wants. */
export interface Challenge {
  /** Address of the metadata of the protected resource; undefined where none is named. */
  resourceMetadata?: string | undefined;
  scope?: string | undefined;
}

/** Why an authorization could not be had, as one sentence without secrets. */
export class McpOAuthFailure extends Error {
  override name = "McpOAuthFailure";
  /**
   * `unreachable`: nothing answered, or not in time, so that a request may have been carried out all the same.
   * `refused`: an answer that the protocol does not allow, or a refusal.
   */
  readonly kind: "unreachable" | "refused";
  /** The error code of OAuth, such as `invalid_grant`; undefined where there is none. */
  readonly code: string | undefined;

  constructor(
    kind: McpOAuthFailure["kind"],
    sentence: string,
    { cause, code }: { cause?: unknown; code?: string | undefined } = {},
  ) {
    super(sentence, { cause });
    this.kind = kind;
    this.code = code;
  }
}

/** A request to an authorization server, as one of its clients. */
interface AsClient {
  server: AuthorizationServer;
  client: OAuthClient;
}

/** OAuth 2.1 of MCP, of the revisions 2025-11-25 and 2026-07-28. All methods throw `McpOAuthFailure`. */
export interface McpOAuth {
  /** Where authorization servers send browsers back to. */
  readonly redirectUri: string;
  /** The metadata of this service as a client, which it serves at `clientId` of the document. */
  readonly clientDocument: Readonly<Record<string, unknown>> & { client_id: string };
  /** Whether authorization servers can read `clientDocument`, which they do over https alone. */
  readonly hasDocument: boolean;
  /** Finds the authorization server of an MCP server, and checks what both say of themselves. */
  discover(url: string, challenge: Challenge): Promise<Discovered>;
  /** Registers this service as a client (RFC 7591), with no scope: the server may ask for further ones later. */
  register(server: AuthorizationServer): Promise<RegisteredClient>;
  authorizationUrl(
    to: AsClient,
    request: { state: string; verifier: string; resource: string; scope: string | null },
  ): Promise<string>;
  /** Checks `iss` of what the browser brought back (RFC 9207), before anything else of it is believed. */
  checkIssuer(server: AuthorizationServer, parameters: URLSearchParams): Promise<void>;
  exchange(to: AsClient, spent: { code: string; verifier: string; resource: string }): Promise<McpGrant>;
  refresh(to: AsClient, refreshToken: string, resource: string): Promise<McpGrant>;
  /** Best effort: throws nothing, and takes at most some seconds. */
  revoke(to: AsClient, token: { token: string; hint: "access_token" | "refresh_token" }): Promise<void>;
}
