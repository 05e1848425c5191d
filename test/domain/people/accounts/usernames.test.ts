import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOfUsername, usernameFor } from "#src/domain/people/accounts/usernames.ts";

describe("a new username", () => {
  it.each(["ada", "ada-lovelace", "a1_b2", "x".repeat(50)])("may be %s", (username) => {
    expect(refusalOfUsername(username)).toBeUndefined();
  });

  it.each(["ad", "Ada", "-ada", "ada_", "ada--l", "ada_-l", "ada@example.com", "x".repeat(51), "ada\n"])(
    "may not be %j",
    (username) => {
      expect(refusalOfUsername(username)).toContain("3 to 50");
    },
  );

  it.each(["admin", "root", "null"])("may not be the reserved %s", (username) => {
    expect(refusalOfUsername(username)).toContain("reserved");
  });
});

describe("a username made from an address", () => {
  it("leaves out dots, plus signs and hyphens, and ends in six random characters", () => {
    expect(usernameFor("Ada.Lovelace+news-x@example.com")).toMatch(/^adalovelacenewsx_[0-9a-z]{6}$/u);
  });

  it("is a valid username, whatever the address", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(usernameFor(email)).toMatch(/^[a-z0-9_]{1,20}_[0-9a-z]{6}$/u);
      }),
    );
  });
});
