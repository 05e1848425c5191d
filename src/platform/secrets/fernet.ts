import { base64url } from "jose";

/** Fernet tokens (github.com/fernet/spec, version 0x80): AES-128-CBC, then HMAC-SHA256 over everything before it. */
export interface Fernet {
  /** Only tests set `at` (ms since the epoch) and `iv` (16 bytes). */
  encrypt(text: string, options?: { at?: number; iv?: Uint8Array<ArrayBuffer> }): Promise<string>;
  /**
   * Returns the text of a token made with this key. With `ttlSeconds`, an older token is refused, and one from more
   * than a minute ahead. Throws the same `InvalidToken` for every problem, so that an error reveals nothing about the
   * text.
   */
  decrypt(token: string, options?: { ttlSeconds?: number; at?: number }): Promise<string>;
}

export class InvalidToken extends Error {
  constructor() {
    super("Not a token of this key");
    this.name = "InvalidToken";
  }
}

const VERSION = 0x80;
const MAX_SKEW_SECONDS = 60;
/** Version, timestamp and IV before the text; HMAC after it. */
const HEAD = 1 + 8 + 16;
const MAC = 32;

/** `key` is 32 bytes: 16 to sign, 16 to encrypt. */
export async function createFernet(key: Uint8Array<ArrayBuffer>): Promise<Fernet> {
  const { subtle } = crypto;
  const [signing, encryption] = await Promise.all([
    subtle.importKey("raw", key.subarray(0, 16), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
      "verify",
    ]),
    subtle.importKey("raw", key.subarray(16, 32), "AES-CBC", false, ["encrypt", "decrypt"]),
  ]);
  return {
    async encrypt(text, { at = Date.now(), iv = crypto.getRandomValues(new Uint8Array(16)) } = {}) {
      const plain = new TextEncoder().encode(text);
      const cipher = new Uint8Array(await subtle.encrypt({ name: "AES-CBC", iv }, encryption, plain));
      const token = new Uint8Array(HEAD + cipher.length + MAC);
      token[0] = VERSION;
      new DataView(token.buffer).setBigUint64(1, BigInt(Math.floor(at / 1000)));
      token.set(iv, 9);
      token.set(cipher, HEAD);
      token.set(
        new Uint8Array(await subtle.sign("HMAC", signing, token.subarray(0, -MAC))),
        token.length - MAC,
      );
      const unpadded = base64url.encode(token);
      return unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "=");
    },
    async decrypt(text, { ttlSeconds, at = Date.now() } = {}) {
      try {
        const token = Uint8Array.from(base64url.decode(text));
        if (token.length < HEAD + MAC || token[0] !== VERSION) throw new InvalidToken();
        const signed = token.subarray(0, -MAC);
        if (!(await subtle.verify("HMAC", signing, token.subarray(-MAC), signed))) throw new InvalidToken();
        const age = Math.floor(at / 1000) - Number(new DataView(token.buffer).getBigUint64(1));
        if (ttlSeconds !== undefined && (age >= ttlSeconds || age < -MAX_SKEW_SECONDS))
          throw new InvalidToken();
        const iv = token.subarray(9, HEAD);
        const plain = await subtle.decrypt({ name: "AES-CBC", iv }, encryption, signed.subarray(HEAD));
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
      } catch {
        throw new InvalidToken();
      }
    },
  };
}
