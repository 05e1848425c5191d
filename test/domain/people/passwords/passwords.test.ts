import { describe, expect, it } from "vitest";
import { hashPassword, passwordMatches, refusalOfPassword } from "#src/domain/people/passwords/index.ts";

const owner = { email: "ada.lovelace@example.com", username: "Countess" };

describe("a new password", () => {
  it.each([
    ["seven characters", "1kd8s3h", "at least 8 characters"],
    ["73 bytes", "x".repeat(73), "at most 72 bytes"],
    ["37 letters of two bytes", "é".repeat(37), "at most 72 bytes"],
    ["the email address in capitals", "ADA.LOVELACE@EXAMPLE.COM", "email address"],
    ["the address up to the @", "Ada.Lovelace", "before the @"],
    ["the username in small letters", "countess", "username"],
    ["a common one", "password123", "too common"],
    ["a common one in capitals", "QwertyUIOP", "too common"],
  ])("is refused for being %s", async (_, password, sentence) => {
    expect(await refusalOfPassword(password, owner)).toContain(sentence);
  });

  it.each([
    ["eight characters", "1kd8s3hq"],
    ["72 bytes", "x".repeat(72)],
    ["36 letters of two bytes", "é".repeat(36)],
  ])("may be %s", async (_, password) => {
    expect(await refusalOfPassword(password, owner)).toBeUndefined();
  });
});

const CONFIG = { PASSWORD_HASH_COST: 4 };

describe("a password at login", () => {
  it("matches its own hash and no other", async () => {
    const hash = await hashPassword(CONFIG, "correct horse");
    expect(await passwordMatches(CONFIG, "correct horse", hash)).toBe(true);
    expect(await passwordMatches(CONFIG, "correct horsf", hash)).toBe(false);
  });

  it("does not match by its first 72 bytes alone", async () => {
    const hash = await hashPassword(CONFIG, "x".repeat(72));
    expect(await passwordMatches(CONFIG, "x".repeat(72), hash)).toBe(true);
    expect(await passwordMatches(CONFIG, "x".repeat(73), hash)).toBe(false);
  });

  it("never matches where there is no hash", async () => {
    expect(await passwordMatches(CONFIG, "anything", undefined)).toBe(false);
    expect(await passwordMatches(CONFIG, "anything", null)).toBe(false);
  });
});
