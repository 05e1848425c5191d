/** Providers whose accounts sign a person in. */
export type ProviderName = "github" | "google";

/** What belongs to one sign-in on its way through a provider. */
export interface OAuthFlow {
  /** Goes to the provider and comes back; says which sign-in a callback belongs to. */
  state: string;
  /** PKCE: only who knows it can spend the code. 43 to 128 URL-safe characters (RFC 7636). */
  verifier: string;
  /** Comes back in the ID token, so that one made for another sign-in is refused. */
  nonce: string;
}

/** A person as a provider describes them. */
export interface OAuthProfile {
  /** The provider's own, unchanging id of the account. */
  accountId: string;
  /** An address that the provider says is verified; absent where it says so of none. */
  email?: string;
  name?: string;
  avatarUrl?: string;
}

/** One provider. Whatever goes wrong on its side is an `OAuthFailure`. */
export interface OAuthProvider {
  /** Where to send the browser. */
  authorizationUrl(flow: OAuthFlow): Promise<string>;
  /** Spend the code that a callback carries, and ask who came with it. */
  identify(callback: URLSearchParams, flow: OAuthFlow): Promise<OAuthProfile>;
}

/** Those that the installation has credentials for. */
export type OAuthProviders = Readonly<Record<ProviderName, OAuthProvider | undefined>>;
