import { argon2Sync, hkdfSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { accountVariables } from "#src/configuration/variables/accounts.ts";
import { codeMatches, hashCode, newCode } from "#src/domain/people/two-factor/code.ts";

const SECRET = "a-secret-key-for-tests-of-32-characters";
const CONFIG = { SECRET_KEY: SECRET, TWO_FA_HASH_KIB: 8 };

describe("a code", () => {
  it("has as many digits as are asked for, of all ten, those in front zeros too", () => {
    const codes = Array.from({ length: 500 }, () => newCode(20));
    expect(codes.filter((code) => !/^\d{20}$/u.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith("0"))).toBe(true);
    expect(new Set(codes).size).toBe(500);
    expect(newCode(4)).toHaveLength(4);
  });
});

describe("the hash of a code", () => {
  it("is Argon2id with 19 MiB unless less is said, two passes, a salt and a key of ours, as another implementation has it", async () => {
    expect(accountVariables.TWO_FA_HASH_KIB.parse(undefined)).toBe(19_456);
    const hash = await hashCode({ ...CONFIG, TWO_FA_HASH_KIB: 64 }, "012345");
    const [, , version, cost, salt = "", tag = ""] = hash.split("$");
    expect([version, cost]).toEqual(["v=19", "m=64,t=2,p=1"]);
    const key = hkdfSync("sha256", SECRET, "", "workspace:two-factor-codes", 32);
    const expected = argon2Sync("argon2id", {
      message: "012345",
      nonce: Buffer.from(salt, "base64"),
      secret: Buffer.from(key),
      memory: 64,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
    // A hash that was made with less memory still matches.
    expect(await codeMatches("012345", hash, SECRET)).toBe(true);
    expect(Buffer.from(salt, "base64")).toHaveLength(16);
    expect(Buffer.from(tag, "base64").toString("hex")).toBe(expected.toString("hex"));
  });

  it("is salted", async () => {
    expect(await hashCode(CONFIG, "012345")).not.toBe(await hashCode(CONFIG, "012345"));
  });

  it.each([
    ["the code itself", "012345", SECRET, true],
    ["another code", "012346", SECRET, false],
    ["the code without its zero", "12345", SECRET, false],
    ["the code on an installation with another key", "012345", `${SECRET}!`, false],
  ])("matches, or not, %s", async (_, code, secret, matches) => {
    expect(await codeMatches(code, await hashCode(CONFIG, "012345"), secret)).toBe(matches);
  });
});
