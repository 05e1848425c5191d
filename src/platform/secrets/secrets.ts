import { base64url } from "jose";
import { createFernet, type Fernet } from "./fernet.ts";

/** Secrets at rest: what must be readable again is kept as a Fernet token. */
export interface Secrets {
  encrypt(text: string): Promise<string>;
  /** Throws `InvalidToken` for anything not encrypted under the same SECRET_KEY. */
  decrypt(token: string): Promise<string>;
}

/**
 * Secrets under a key derived from SECRET_KEY for one purpose alone (HKDF-SHA256), so that no other use shares it; or under
 * a key of the purpose's own, where the installation has one.
 */
export function createSecrets(
  secretKey: string,
  { purpose = "secrets-at-rest", ownKey }: { purpose?: string; ownKey?: string | undefined } = {},
): Secrets {
  let fernet: Promise<Fernet> | undefined;
  const key = () => (ownKey === undefined ? deriveKey(secretKey, `workspace:${purpose}`) : readKey(ownKey));
  const open = () => (fernet ??= key().then(createFernet));
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

/** A Fernet key is base64url of 32 bytes; any other text stands for its SHA-256. */
async function readKey(text: string): Promise<Uint8Array<ArrayBuffer>> {
  if (/^[\w-]{43}=?$/u.test(text)) return Uint8Array.from(base64url.decode(text));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
