import { base64url } from "jose";
import { createFernet, InvalidToken, type Fernet } from "./fernet.ts";

/** Secrets at rest: values that must be readable again are stored as Fernet tokens. */
export interface Secrets {
  encrypt(text: string): Promise<string>;
  /** Throws `InvalidToken` unless the token was encrypted under a known key. */
  decrypt(token: string): Promise<string>;
}

/**
 * Encrypts under a key derived from SECRET_KEY for one purpose (HKDF-SHA256), so that no other use shares it; or under
 * a specific key for the purpose, where the installation has one. Earlier tokens may be under the `readable` keys.
 */
export function createSecrets(
  secretKey: string,
  { purpose = "secrets-at-rest", ownKey, previousSecretKey, readable = [] }: SecretsOptions = {},
): Secrets {
  const derivedOf = (secret: string) => () => deriveKey(secret, `workspace:${purpose}`);
  const first = once(ownKey === undefined ? derivedOf(secretKey) : () => readKey(ownKey));
  const others = [
    ...(ownKey === undefined ? [] : [derivedOf(secretKey)]),
    ...(previousSecretKey === undefined ? [] : [derivedOf(previousSecretKey)]),
    ...readable.map((key) => () => readEarlier(key)),
  ].map(once);
  return {
    encrypt: async (text) => (await first()).encrypt(text),
    async decrypt(token) {
      for (const open of [first, ...others]) {
        const text = await (await open()).decrypt(token).catch(notOfThisKey);
        if (text !== undefined) return text;
      }
      throw new InvalidToken();
    },
  };
}

interface SecretsOptions {
  /** Name of the derived key. */
  purpose?: string;
  ownKey?: string | undefined;
  /** Earlier values of SECRET_KEY. */
  previousSecretKey?: string | undefined;
  readable?: readonly EarlierKey[];
}

/** A configured key, or a text whose SHA-256 was the key. */
type EarlierKey = { key: string } | { hashOf: string };

function once(key: () => Promise<Uint8Array<ArrayBuffer>>): () => Promise<Fernet> {
  let fernet: Promise<Fernet> | undefined;
  return () => (fernet ??= key().then(createFernet));
}

function notOfThisKey(error: unknown): undefined {
  if (!(error instanceof InvalidToken)) throw error;
}

async function readEarlier(earlier: EarlierKey): Promise<Uint8Array<ArrayBuffer>> {
  return "key" in earlier ? readKey(earlier.key) : hashOf(earlier.hashOf);
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
  return hashOf(text);
}

async function hashOf(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
