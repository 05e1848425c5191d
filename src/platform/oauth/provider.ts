/** Providers that can sign a person in. */
export type ProviderName = "github" | "google";

/** The values of one sign-in through a provider. */
export interface OAuthFlow {
  /** Sent to the provider and back; identifies the sign-in of a callback. */
  state: string;
  /** PKCE verifier: required to exchange the code. 43 to 128 URL-safe characters (RFC 7636). */
  verifier: string;
  /** Repeated in the ID token, so that a token of another sign-in is refused. */
  nonce: string;
}

/** A person's profile at a provider. */
export interface OAuthProfile {
  /** The provider's own, unchanging id of the account. */
  accountId: string;
  /** An address that the provider says is verified; absent without one. */
  email?: string;
  name?: string;
  avatarUrl?: string;
}

/** One provider. Every failure on its side is an `OAuthFailure`. */
export interface OAuthProvider {
  /** Returns the address to redirect the browser to. */
  authorizationUrl(flow: OAuthFlow): Promise<string>;
  /** Exchanges the code of a callback and returns the person's profile. */
  identify(callback: URLSearchParams, flow: OAuthFlow): Promise<OAuthProfile>;
}

/** Undefined where the installation has no credentials. */
export type OAuthProviders = Readonly<Record<ProviderName, OAuthProvider | undefined>>;
