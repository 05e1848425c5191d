import { readFileSync } from "node:fs";
import { join } from "node:path";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { createFernet, InvalidToken } from "#src/platform/secrets/fernet.ts";

/** The vectors of github.com/fernet/spec. */
interface Vector {
  token: string;
  now: string;
  secret: string;
  src: string;
  iv: number[];
  ttl_sec: number;
  desc: string;
}

function vectors(name: string): Vector[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../fixtures/fernet/${name}.json`), "utf8"));
}

const open = (secret: string) => createFernet(Uint8Array.from(base64url.decode(secret)));
const randomKey = () => crypto.getRandomValues(new Uint8Array(32));

describe("the vectors of the Fernet spec", () => {
  it.each(vectors("generate"))("makes $token", async ({ secret, src, now, iv, token }) => {
    const fernet = await open(secret);
    expect(await fernet.encrypt(src, { at: Date.parse(now), iv: Uint8Array.from(iv) })).toBe(token);
  });

  it.each(vectors("verify"))("reads $token", async ({ secret, src, now, ttl_sec, token }) => {
    const fernet = await open(secret);
    expect(await fernet.decrypt(token, { at: Date.parse(now), ttlSeconds: ttl_sec })).toBe(src);
  });

  it.each(vectors("invalid"))("refuses one with: $desc", async ({ secret, now, ttl_sec, token }) => {
    const fernet = await open(secret);
    await expect(fernet.decrypt(token, { at: Date.parse(now), ttlSeconds: ttl_sec })).rejects.toThrow(
      InvalidToken,
    );
  });
});

describe("fernet", () => {
  it("carries a secret of a megabyte", async () => {
    const fernet = await createFernet(randomKey());
    const text = "0123456789abcdef".repeat(65_536);
    expect(await fernet.decrypt(await fernet.encrypt(text))).toBe(text);
  });

  it("refuses a token with a flipped bit in any byte, with the same error as for every other token", async () => {
    const fernet = await createFernet(randomKey());
    const token = base64url.decode(await fernet.encrypt("a secret"));
    for (let bit = 0; bit < token.length * 8; bit += 7) {
      const forged = Uint8Array.from(token);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(fernet.decrypt(base64url.encode(forged))).rejects.toEqual(new InvalidToken());
    }
  });
});
