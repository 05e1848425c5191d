import { createHash, randomBytes, randomInt } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A new id in Vercel's form, such as `prj_` with 28 characters. */
export function newId(prefix: string): string {
  return prefix + Array.from({ length: 28 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

export function newHex(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length);
}

/** 32 hexadecimal digits that identify a text. */
export function hexOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** 32 hexadecimal digits as a UUID. */
export function asUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}

/** A time as JSON has it. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}
