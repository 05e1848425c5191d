import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { teamMemberships, teams, users } from "#src/db/schema/index.ts";
import { register } from "#src/domain/people/accounts/index.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { openDatabase } from "#test/support/database.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD, sessionDeps } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(async () => {
  await database.db.delete(users);
});
afterAll(async () => {
  await database.close();
});

const registerAs = (email: string, username?: string) =>
  register(sessionDeps(database.db), { email, username, password: PASSWORD }, CLIENT);

describe("registration", () => {
  it("makes no administrator in production, where the first account may be a stranger's", async () => {
    const deps = sessionDeps(database.db);
    const config = { ...deps.config, ENVIRONMENT: "production" as const, ADMIN_EMAIL: ["first@example.com"] };
    const { user } = await register(
      { ...deps, config },
      { email: "first@example.com", password: PASSWORD },
      CLIENT,
    );
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
    const deps = sessionDeps(database.db);
    const at = (email: string) =>
      register({ ...deps, config: { ...deps.config, ...domains } }, { email, password: PASSWORD }, CLIENT);
    await expect(at(taken)).resolves.toBeDefined();
    await expect(at(refused)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Email addresses of this domain are not accepted here",
    });
  });

  it("from a domain that is blocked by now stays as it is, but takes no new address there", async () => {
    const deps = sessionDeps(database.db);
    const config = { ...deps.config, BLOCKED_EMAIL_DOMAINS: ["example.com"] };
    const { user } = await registerAs("a@example.com");
    const change = (email: string) => changeOwnAccount({ ...deps, config }, user.id, { email, name: "Ann" });
    await expect(change("A@example.com")).resolves.toMatchObject({ name: "Ann" });
    await expect(change("b@example.com")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(change("b@example.org")).resolves.toMatchObject({ email: "b@example.org" });
  });

  it("is counted for each address, successes too", async () => {
    const deps = { ...sessionDeps(database.db), attempts: new MemoryAttempts({ registration: 2 }) };
    const from = (address: string, email: string) =>
      register(deps, { email, password: PASSWORD }, { ...CLIENT, address });
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
    expect(await database.db.select().from(users)).toHaveLength(8);
  });

  it.each([
    ["the same address in another case", "ADA@example.com", undefined],
    ["the same username in another case", "other@example.com", "ADA"],
  ])("refuses %s, also at the same moment", async (_, email, username) => {
    const outcomes = await Promise.allSettled([
      registerAs("ada@example.com", "ada"),
      registerAs(email, username),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({
      code: "invalid_input",
      message: "REGISTER_USER_ALREADY_EXISTS",
    });
    expect(await database.db.select().from(users)).toHaveLength(1);
    expect(await database.db.select().from(teams)).toHaveLength(1);
  });

  it("gives the account a team of its own, as its administrator", async () => {
    const { user } = await newPerson(database.db, "ada");
    const [team] = await database.db
      .select({ slug: teams.slug, isPersonal: teams.isPersonal, id: teams.id, role: teamMemberships.role })
      .from(teams)
      .innerJoin(teamMemberships, eq(teamMemberships.teamId, teams.id))
      .where(eq(teamMemberships.userId, user.id));
    expect(team).toEqual({
      id: user.defaultTeamId,
      slug: `${user.slug}-team`,
      isPersonal: true,
      role: "admin",
    });
  });
});
