import { bytesToHex } from "@noble/hashes/utils.js";
import { isSignedNow, signatureBytes, withPrefix } from "../signatures.ts";

/**
 * Keys of small order, without the sign bit: for these Ed25519 accepts signatures that were made without any private key.
 * All zeros is what is entered to fill a field.
 */
const WEAK_KEYS: ReadonlySet<string> = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
]);

/** The key of an application, from 64 hexadecimal digits; undefined for what is none. */
export function publicKeyBytes(hex: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = signatureBytes(hex.toLowerCase(), { length: 32 });
  if (bytes === undefined) return undefined;
  const unsigned = bytes.with(31, (bytes[31] ?? 0) & 0x7f);
  return WEAK_KEYS.has(bytesToHex(unsigned)) ? undefined : bytes;
}

/** Discord signs the time and the body with Ed25519, and regularly sends bad signatures that must be refused. */
export async function isSignedByDiscord(
  { headers, body }: { headers: Headers; body: Uint8Array },
  publicKey: string,
  now: number,
): Promise<boolean> {
  const time = headers.get("x-signature-timestamp");
  const signature = signatureBytes(headers.get("x-signature-ed25519"), { length: 64 });
  const keyBytes = publicKeyBytes(publicKey);
  if (!isSignedNow(time, now) || signature === undefined || keyBytes === undefined) return false;
  try {
    const key = await crypto.subtle.importKey("raw", keyBytes, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, withPrefix(time, body));
  } catch {
    // 32 bytes that are no point of the curve.
    return false;
  }
}
