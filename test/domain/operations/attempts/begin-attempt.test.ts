import { describe, expect, it } from "vitest";
import { z } from "zod";
import { limitVariables } from "#src/configuration/variables/limits.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import {
  attemptWindowOf,
  LOCKOUTS,
  type AttemptKind,
  type AttemptRule,
} from "#src/domain/operations/limits/index.ts";
import { ATTEMPTS } from "#src/domain/operations/limits/table.ts";
import { AppError } from "#src/lib/errors.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";

const ATTEMPT_RULES = Object.keys(ATTEMPTS).filter((rule): rule is AttemptRule => rule in ATTEMPTS);

const home = "203.0.113.7";
const ada = { account: "ada@example.com", address: home };

/** Attempts that all fail; returns how many were let in. */
async function fail(attempts: MemoryAttempts, kind: AttemptKind, subjects: typeof ada, times: number) {
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, () => beginAttempt({ attempts }, kind, subjects)),
  );
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

async function refusal(attempts: MemoryAttempts, kind: AttemptKind, subjects: { address: string }) {
  const error: unknown = await beginAttempt({ attempts }, kind, subjects).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error("The attempt was let in");
  return error;
}

/** The limits of production. */
const PRODUCTION = Object.fromEntries(
  ATTEMPT_RULES.map((rule) => [
    rule,
    attemptWindowOf(rule, { ...z.object(limitVariables).parse({}), ENVIRONMENT: "production" }).capacity,
  ]),
);

function countsAccounts(kind: string): kind is AttemptKind {
  return Object.entries(LOCKOUTS).some(
    ([name, { counters }]) => name === kind && counters.some(({ of }) => of !== "network"),
  );
}

describe("an attempt", () => {
  it("is let in until the account has used up its own, from wherever it comes", async () => {
    const attempts = new MemoryAttempts({ account: 10, address: 100 });
    expect(await fail(attempts, "code", ada, 6)).toBe(6);
    expect(await fail(attempts, "code", { ...ada, address: "198.51.100.1" }, 200)).toBe(4);
    expect(await fail(attempts, "code", { account: "bob@example.com", address: home }, 3)).toBe(3);
  });

  it("at a password closes an account to the address it comes from, and only many of them close it to all", async () => {
    const attempts = new MemoryAttempts({ account: 10, everywhere: 25, address: 100 });
    const from = (nth: number, times: number) =>
      fail(attempts, "login", { ...ada, address: `198.51.100.${nth}` }, times);
    expect(await from(1, 50)).toBe(10);
    expect(await from(2, 50)).toBe(10);
    expect(await from(3, 50)).toBe(5);
    expect(await from(4, 1)).toBe(0);
    expect(await fail(attempts, "login", { account: "bob@example.com", address: home }, 3)).toBe(3);
  });

  it("is let in until the address has used up its own, whatever the account", async () => {
    const attempts = new MemoryAttempts({ account: 10, address: 20 });
    let admitted = 0;
    for (let nth = 0; nth < 30; nth += 1) {
      admitted += await fail(attempts, "login", { account: `user-${nth}@example.com`, address: home }, 1);
    }
    expect(admitted).toBe(20);
    expect(await fail(attempts, "login", { ...ada, address: "198.51.100.1" }, 1)).toBe(1);
  });

  it("does not count when it succeeds, and is taken back once only", async () => {
    const attempts = new MemoryAttempts({ account: 2, address: 2 });
    for (let count = 0; count < 5; count += 1) {
      const attempt = await beginAttempt({ attempts }, "login", ada);
      await attempt.succeeded();
    }
    const attempt = await beginAttempt({ attempts }, "login", ada);
    await attempt.succeeded();
    expect(await fail(attempts, "login", ada, 2)).toBe(2);
    await attempt.succeeded();
    expect(await fail(attempts, "login", ada, 1)).toBe(0);
  });

  it("costs an account nothing that the address has no right to, and the other way round", async () => {
    const attempts = new MemoryAttempts({ account: 2, address: 3 });
    await fail(attempts, "login", { ...ada, account: "bob@example.com" }, 1);
    await fail(attempts, "login", { ...ada, account: "eve@example.com" }, 2);
    expect(await fail(attempts, "login", ada, 20)).toBe(0);
    expect(await fail(attempts, "login", { ...ada, address: "198.51.100.1" }, 20)).toBe(2);
    expect(await fail(attempts, "login", { account: "bob@example.com", address: "198.51.100.1" }, 5)).toBe(1);
  });

  it("counts one account however it is spelt, and stores no email address", async () => {
    const attempts = new MemoryAttempts({ account: 2 });
    expect(await fail(attempts, "login", ada, 1)).toBe(1);
    expect(await fail(attempts, "login", { ...ada, account: " Ada@Example.COM" }, 5)).toBe(1);
    expect(attempts.counters).toEqual([
      expect.stringMatching(/^login:account:[0-9a-f]{64}:203\.0\.113\.7$/u),
    ]);
  });

  it("counts the kinds apart", async () => {
    const attempts = new MemoryAttempts({ account: 1, address: 1 });
    for (const kind of ["login", "code", "reset", "pairing"] as const) {
      expect(await fail(attempts, kind, ada, 3)).toBe(1);
    }
  });

  it("counts a whole /64 as one address, and all that are unknown as another", async () => {
    const attempts = new MemoryAttempts({ address: 2 });
    const from = (address: string) => fail(attempts, "login", { ...ada, address }, 1);
    expect(await from("2001:db8:1:2::1")).toBe(1);
    expect(await from("2001:db8:1:2:ffff::9")).toBe(1);
    expect(await from("2001:db8:1:2:8::")).toBe(0);
    expect(await from("2001:db8:1:3::1")).toBe(1);
    expect(await fail(attempts, "login", { ...ada, address: "unknown" }, 5)).toBe(2);
  });
});

describe.each(Object.keys(LOCKOUTS).filter(countsAccounts))("an office, at %s", (kind) => {
  it("is not locked by one of its people, and is by many", async () => {
    const attempts = new MemoryAttempts(PRODUCTION);
    expect(await fail(attempts, kind, ada, 50)).toBeLessThanOrEqual(10);
    expect(await fail(attempts, kind, { ...ada, account: "bob@example.com" }, 1)).toBe(1);
    const people = Array.from({ length: 200 }, (_, nth) => ({ ...ada, account: `user-${nth}@example.com` }));
    for (const person of people) await fail(attempts, kind, person, 1);
    expect(await fail(attempts, kind, { ...ada, account: "eve@example.com" }, 1)).toBe(0);
    expect(await fail(attempts, kind, { account: "eve@example.com", address: "198.51.100.1" }, 1)).toBe(1);
  });
});

describe("a refused attempt", () => {
  it("says when to retry", async () => {
    const attempts = new MemoryAttempts({ account: 2, address: 100 });
    await fail(attempts, "login", ada, 2);
    attempts.now += 90_000;
    const { status, message, headers, retryAfterSeconds } = await refusal(attempts, "login", ada);
    expect([status, message]).toEqual([429, "Too many attempts: try again in 14 minutes"]);
    expect(retryAfterSeconds).toBe(810);
    expect(headers).toEqual({
      "X-RateLimit-Limit": "2",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": "810",
    });
    attempts.now += 809_000;
    expect((await refusal(attempts, "login", ada)).message).toBe("Too many attempts: try again in 1 minute");
    attempts.now += 1000;
    expect(await fail(attempts, "login", ada, 3)).toBe(2);
  });
});

describe("a message to be sent", () => {
  it("counts against the limit of messages, for good, and invitations against another", async () => {
    const attempts = new MemoryAttempts({ account: 1, address: 5, mail: 2 });
    for (const kind of ["mail", "invitation"] as const) {
      for (let count = 0; count < 2; count += 1)
        await (await beginAttempt({ attempts }, kind, ada)).succeeded();
      expect((await refusal(attempts, kind, ada)).headers["X-RateLimit-Limit"]).toBe("2");
    }
    expect(await fail(attempts, "mail", { ...ada, account: "bob@example.com" }, 5)).toBe(2);
  });
});

describe("when a counter does not answer", () => {
  /** The counters of accounts fail, to count and to give back, while it is broken. */
  class Broken extends MemoryAttempts {
    isBroken = false;

    override async take(...args: Parameters<MemoryAttempts["take"]>) {
      if (this.isBroken && args[1].includes(":account:")) throw new Error("gone");
      return super.take(...args);
    }

    override async giveBack(counter: string, receipt: string): Promise<void> {
      if (this.isBroken && counter.includes(":account:")) throw new Error("gone");
      return super.giveBack(counter, receipt);
    }
  }

  it("the attempt is refused, and the other counter is as before", async () => {
    const attempts = new Broken({ account: 5, address: 2 });
    attempts.isBroken = true;
    for (let count = 0; count < 3; count += 1)
      await expect(beginAttempt({ attempts }, "login", ada)).rejects.toThrow("gone");
    attempts.isBroken = false;
    expect(await fail(attempts, "login", ada, 5)).toBe(2);
  });

  it("a success stays one", async () => {
    const attempts = new Broken({ account: 2, address: 2 });
    const attempt = await beginAttempt({ attempts }, "login", ada);
    attempts.isBroken = true;
    await attempt.succeeded();
    attempts.isBroken = false;
    expect(await fail(attempts, "login", ada, 5)).toBe(1);
  });
});
