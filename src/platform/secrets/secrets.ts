import { createFernet, type Fernet } from "./fernet.ts";

/** Secrets at rest: what must be readable again is kept as a Fernet token. */
export interface Secrets {
  encrypt(text: string): Promise<string>;
  /** Throws `InvalidToken` for anything not encrypted under the same SECRET_KEY. */
  decrypt(token: string): Promise<string>;
}

/** Secrets under a key derived from SECRET_KEY for this purpose alone (HKDF-SHA256), so that no other use shares it. */
export function createSecrets(secretKey: string): Secrets {
  let fernet: Promise<Fernet> | undefined;
  const open = () => (fernet ??= deriveKey(secretKey, "workspace:secrets-at-rest").then(createFernet));
  return {
    encrypt: async (text) => (await open()).encrypt(text),
    decrypt: async (token) => (await open()).decrypt(token),
  };
}

async function deriveKey(secret: string, purpose: string): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveBits",
  ]);
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encoder.encode(purpose) },
    material,
    256,
  );
  return new Uint8Array(bits);
}
