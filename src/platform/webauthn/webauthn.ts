/** The person for whom a passkey is made, as the authenticator shows and returns them. */
export interface PasskeyUser {
  /** Base64url; returned with each assertion. */
  handle: string;
  name: string;
  displayName: string;
}

interface Described {
  type: "public-key";
  /** Base64url. */
  id: string;
  transports: string[];
}

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn, as far as it is used. */
export interface CreationOptions {
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  challenge: string;
  pubKeyCredParams: { type: "public-key"; alg: number }[];
  timeout: number;
  excludeCredentials: Described[];
  authenticatorSelection: {
    residentKey: "required";
    requireResidentKey: true;
    userVerification: "required";
  };
  attestation: "none";
}

/** `PublicKeyCredentialRequestOptionsJSON`: of any passkey, which the person chooses. */
export interface RequestOptions {
  rpId: string;
  challenge: string;
  timeout: number;
  allowCredentials: never[];
  userVerification: "required";
}

/** `RegistrationResponseJSON` of a browser. Everything is base64url. */
export interface CreatedCredential {
  id: string;
  response: { clientDataJSON: string; attestationObject: string };
}

/** `AuthenticationResponseJSON` of a browser. Everything is base64url. */
export interface Assertion {
  id: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** A credential that an authenticator has made. */
export interface VerifiedCredential {
  id: string;
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
}

/** The outcome of a check; the reason of a refusal is for the log alone. */
export type Checked<T> = { verified: T } | { refusal: unknown };

/** Passkeys of this service. Challenges are base64url. */
export interface WebAuthn {
  /** Of the pages on which passkeys work. */
  origin: string;
  creationOptions(asked: {
    challenge: string;
    user: PasskeyUser;
    existing: readonly { credentialId: string; transports: readonly string[] }[];
  }): CreationOptions;
  requestOptions(challenge: string): RequestOptions;
  /** Whether an authenticator has made the credential for this challenge, on a page of the service, for a verified user. */
  verifyCreation(credential: CreatedCredential, challenge: string): Promise<Checked<VerifiedCredential>>;
  /**
   * The same for an assertion of a known credential. The caller compares the counter with the stored one, since two
   * assertions may come at once.
   */
  verifyAssertion(
    assertion: Assertion,
    challenge: string,
    known: { publicKey: string },
  ): Promise<Checked<{ counter: number; isBackedUp: boolean }>>;
}
