import { bytesToHex } from "@noble/hashes/utils.js";

async function hash(algorithm: "SHA-1" | "SHA-256", content: Uint8Array): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest(algorithm, content)));
}

/** 40 hexadecimal characters. */
export const sha1 = (_path: string, content: Uint8Array) => hash("SHA-1", content);

/** 64 hexadecimal characters. */
export const sha256 = (_path: string, content: Uint8Array) => hash("SHA-256", content);

/**
 * Cloudflare's digest of a static file: 32 hexadecimal characters of a hash over the content in base64 and the extension.
 * The service takes any hash. Source: developers.cloudflare.com, "Workers", "Static assets", "Direct uploads", whose
 * example takes the first half of SHA-256.
 */
export async function assetDigest(path: string, content: Uint8Array): Promise<string> {
  const extension = new TextEncoder().encode(extensionOf(path));
  const encoded = base64(content, extension.byteLength);
  encoded.set(extension, encoded.byteLength - extension.byteLength);
  return (await hash("SHA-256", encoded)).slice(0, 32);
}

/** As Node's `extname`, without the dot: a leading dot begins a name. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1) : "";
}

const ALPHABET = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const PADDING = 61;
const sign = (index: number) => ALPHABET[index & 63] ?? PADDING;

/** Length of so many bytes in base64. */
export const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

/**
 * Base64 as bytes, with `spare` bytes behind it. Not by way of a text, which would take a file's size twice more: files have
 * up to 25 MiB, and a Worker 128 MiB of memory.
 */
export function base64(content: Uint8Array, spare = 0): Uint8Array<ArrayBuffer> {
  const encoded = new Uint8Array(base64Length(content.byteLength) + spare);
  let at = 0;
  for (let from = 0; from < content.byteLength; from += 3) {
    const [first = 0, second, third] = [content[from], content[from + 1], content[from + 2]];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    encoded[at] = sign(bits >> 18);
    encoded[at + 1] = sign(bits >> 12);
    encoded[at + 2] = second === undefined ? PADDING : sign(bits >> 6);
    encoded[at + 3] = third === undefined ? PADDING : sign(bits);
    at += 4;
  }
  return encoded;
}
