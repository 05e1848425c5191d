import { beforeEach, describe, expect, it } from "vitest";
import { teams, users } from "#src/db/schema/index.ts";
import { register } from "#src/domain/people/accounts/index.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { changeOwnAccount, CLIENT, PASSWORD, sessionDeps } from "#test/support/people.ts";

const { db } = await fileDatabase();
const deps = sessionDeps(db);
beforeEach(async () => {
  await db.delete(users);
});

const registerAs = (email: string, username?: string, change: Partial<typeof deps.config> = {}) =>
  register(
    { ...deps, config: { ...deps.config, ...change } },
    { email, username, password: PASSWORD },
    CLIENT,
  );

describe("registration", () => {
  it("makes no administrator in production, where the first account may be a stranger's", async () => {
    const production = { ENVIRONMENT: "production" as const, ADMIN_EMAIL: ["first@example.com"] };
    const { user } = await registerAs("first@example.com", undefined, production);
    expect(user.isSuperuser).toBe(false);
  });

  it("lets the first account of a machine of one's own be called admin, and no other", async () => {
    expect((await registerAs("first@example.com", "admin")).user.username).toBe("admin");
    await expect(registerAs("second@example.com", "support")).rejects.toMatchObject({
      code: "invalid_input",
      message: "Username is reserved",
    });
  });

  it.each([
    [{ ALLOWED_EMAIL_DOMAINS: ["example.com"] }, "a@Example.com", "a@sub.example.com"],
    [{ BLOCKED_EMAIL_DOMAINS: ["example.org"] }, "a@notexample.org", "a@sub.EXAMPLE.org"],
    [
      { ALLOWED_EMAIL_DOMAINS: ["x.test"], BLOCKED_EMAIL_DOMAINS: ["b.x.test", "c.test"] },
      "a@X.TEST",
      "a@b.x.test",
    ],
  ])("with %o takes addresses of the allowed domains only", async (domains, taken, refused) => {
    const at = (email: string) => registerAs(email, undefined, domains);
    await expect(at(taken)).resolves.toBeDefined();
    await expect(at(refused)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Email addresses of this domain are not accepted here",
    });
  });

  it("from a domain that is blocked by now stays as it is, but takes no new address there", async () => {
    const config = { ...deps.config, BLOCKED_EMAIL_DOMAINS: ["example.com"] };
    const { user } = await registerAs("a@example.com");
    const change = (email: string) => changeOwnAccount({ ...deps, config }, user.id, { email, name: "Ann" });
    await expect(change("A@example.com")).resolves.toMatchObject({ name: "Ann" });
    await expect(change("b@example.com")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(change("b@example.org")).resolves.toMatchObject({ email: "b@example.org" });
  });

  it("is counted for each address, successes too", async () => {
    const attempts = new MemoryAttempts({ registration: 2 });
    const from = (address: string, email: string) =>
      register({ ...deps, attempts }, { email, password: PASSWORD }, { ...CLIENT, address });
    await from("192.0.2.1", "first@example.com");
    await from("192.0.2.1", "second@example.com");
    await expect(from("192.0.2.1", "third@example.com")).rejects.toMatchObject({ code: "rate_limited" });
    await from("192.0.2.2", "third@example.com");
  });

  it("makes exactly one administrator of eight first accounts at once", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => registerAs(`person${index}@example.com`)),
    );
    expect(made.filter(({ user }) => user.isSuperuser)).toHaveLength(1);
    expect(await db.select().from(users)).toHaveLength(8);
  });

  it.each([
    ["the same address in another case", "ADA@example.com", undefined],
    ["the same username in another case", "other@example.com", "ADA"],
  ])("refuses %s, also at the same moment", async (_, email, username) => {
    const both = [registerAs("ada@example.com", "ada"), registerAs(email, username)];
    const { refused } = await allAtOnce(both);
    expect(refused).toMatchObject([{ code: "invalid_input", message: "REGISTER_USER_ALREADY_EXISTS" }]);
    expect([await db.$count(users), await db.$count(teams)]).toEqual([1, 1]);
  });
});
