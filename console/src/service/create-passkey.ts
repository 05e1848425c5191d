import type { api } from "@agent-workspace/client";

/** Why a browser has made none, by the name of its error. A person who refuses and one who takes too long look the same. */
const REASONS: Readonly<Record<string, string>> = {
  AbortError: "No passkey was made.",
  InvalidStateError: "This device has a passkey for your account already.",
  NotAllowedError: "No passkey was made.",
  NotSupportedError: "This device cannot make a passkey that verifies you.",
};

/** Makes a passkey: the browser asks the person. Returns the credential, or the reason why there is none, as a sentence. */
export async function createPasskey(
  options: api.PasskeyCreationOptions,
): Promise<{ credential: api.AddMyPasskeyData["body"]["credential"] } | { refusal: string }> {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const made = await navigator.credentials.create({ publicKey });
    if (!(made instanceof PublicKeyCredential)) return { refusal: "No passkey was made." };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a credential that was created, in the form that WebAuthn gives it
    const json = made.toJSON() as RegistrationResponseJSON;
    const { clientDataJSON, attestationObject, transports } = json.response;
    return { credential: { id: json.id, response: { clientDataJSON, attestationObject, transports } } };
  } catch (error) {
    const refusal = error instanceof DOMException ? REASONS[error.name] : undefined;
    if (refusal === undefined) throw error;
    return { refusal };
  }
}
