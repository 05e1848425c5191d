import { base64url } from "jose";
import { relyingPartyOf } from "./relying-party.ts";
import type { Checked, WebAuthn } from "./webauthn.ts";

const NAME = "Agent Workspace";
/** How long a browser waits for its person. */
const TIMEOUT_MS = 300_000;
/** EdDSA, ES256, and RS256 for Windows Hello, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257];

/** Passkeys for pages at the public address; `undefined` where browsers have none for it. The library is loaded on first use. */
export function createWebAuthn(options: { publicUrl: string; production: boolean }): WebAuthn | undefined {
  const party = relyingPartyOf(options.publicUrl, options.production);
  if (!party) return undefined;
  const { id: rpId, origin } = party;
  const expected = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true };
  return {
    origin,
    creationOptions: ({ challenge, user, existing }) => ({
      rp: { id: rpId, name: NAME },
      user: { id: user.handle, name: user.name, displayName: user.displayName },
      challenge,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      timeout: TIMEOUT_MS,
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        type: "public-key",
        id: credentialId,
        transports: [...transports],
      })),
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
      attestation: "none",
    }),
    requestOptions: (challenge) => ({
      rpId,
      challenge,
      timeout: TIMEOUT_MS,
      allowCredentials: [],
      userVerification: "required",
    }),

    verifyCreation: (credential, challenge) =>
      checked(async () => {
        const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
        await refuseCertificates(credential.response.attestationObject);
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: asResponse(credential),
          expectedChallenge: challenge,
          supportedAlgorithmIDs: ALGORITHMS,
        });
        if (!verified) throw new Error("The attestation is not signed by the credential");
        const { credential: made, credentialBackedUp: isBackedUp } = registrationInfo;
        return {
          id: made.id,
          publicKey: base64url.encode(made.publicKey),
          counter: made.counter,
          isBackedUp,
        };
      }),

    verifyAssertion: (assertion, challenge, { publicKey }) =>
      checked(async () => {
        const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: asResponse(assertion),
          expectedChallenge: challenge,
          // With 0 the library leaves the counter to the caller, who hears of it only after the signature was checked.
          credential: {
            id: assertion.id,
            publicKey: Uint8Array.from(base64url.decode(publicKey)),
            counter: 0,
          },
        });
        if (!verified) throw new Error("The signature is not of this credential");
        const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo;
        return { counter, isBackedUp };
      }),
  };
}

/** Whatever a client sends, its check ends with a refusal: the library throws for malformed data as for a wrong challenge. */
async function checked<T>(check: () => Promise<T>): Promise<Checked<T>> {
  try {
    return { verified: await check() };
  } catch (refusal) {
    return { refusal };
  }
}

function asResponse<R extends { id: string }>(credential: R) {
  return { ...credential, rawId: credential.id, type: "public-key" as const, clientExtensionResults: {} };
}

/**
 * Refuses an attestation with certificates, which a browser that was asked for none does not send: the library would call the
 * addresses of revocation lists that such a certificate names. What is left is no attestation, or one signed by the credential.
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(Uint8Array.from(base64url.decode(attestationObject)));
  const format = attestation.get("fmt");
  const isSelfSigned = format === "packed" && attestation.get("attStmt").get("x5c") === undefined;
  if (format !== "none" && !isSelfSigned) throw new Error(`An attestation with certificates: ${format}`);
}
