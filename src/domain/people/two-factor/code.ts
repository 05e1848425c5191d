import { argon2idAsync } from "@noble/hashes/argon2.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { sameText } from "#src/lib/same-text.ts";

export interface CodeConfig {
  /** Secret key of the hashes. */
  SECRET_KEY: string;
  /** Argon2id's memory for a new hash, in KiB. Hashes with another cost still match. */
  TWO_FA_HASH_KIB: number;
}

/** OWASP's recommendation for Argon2id on one thread; with 19 MiB a hash takes about 170 ms. */
const PASSES = { t: 2, p: 1 } as const;
const SALT_BYTES = 16;

/** Bytes from here on would make the lower digits more likely than the higher ones. */
const UNBIASED = 250;

/** A code of `length` decimal digits, each uniformly random; leading zeros stay. */
export function newCode(length: number): string {
  let code = "";
  while (code.length < length) {
    const [byte = UNBIASED] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < UNBIASED) code += String(byte % 10);
  }
  return code;
}

/**
 * Argon2id of a code, as a PHC string. There are few possible codes, so the hash is keyed with `SECRET_KEY`: the
 * database alone does not suffice to find the code by trial.
 */
export async function hashCode(config: CodeConfig, code: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const cost = { m: config.TWO_FA_HASH_KIB, ...PASSES };
  const tag = await digest(code, salt, config.SECRET_KEY, cost);
  return `$argon2id$v=19$m=${cost.m},t=${cost.t},p=${cost.p}$${toBase64(salt)}$${tag}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/u;

/** Whether a code matches a hash. */
export async function codeMatches(code: string, hash: string, secret: string): Promise<boolean> {
  const [, m, t, p, salt, expected] = PHC.exec(hash) ?? [];
  if (salt === undefined || expected === undefined) throw new Error("The hash of a code is not one of ours");
  const cost = { m: Number(m), t: Number(t), p: Number(p) };
  return sameText(await digest(code, fromBase64(salt), secret, cost), expected);
}

async function digest(code: string, salt: Uint8Array, secret: string, cost: Record<"m" | "t" | "p", number>) {
  const key = hkdf(sha256, utf8ToBytes(secret), undefined, utf8ToBytes("workspace:two-factor-codes"), 32);
  return toBase64(await argon2idAsync(utf8ToBytes(code), salt, { ...cost, key, dkLen: 32 }));
}

/** Base64 without padding, as in PHC strings. */
function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes)).replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
}
