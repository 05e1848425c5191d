import { describe, expect, it } from "vitest";
import { lockOwnTeam, lockPerson } from "#src/db/locks.ts";
import { changeAccount, deleteAccount } from "#src/domain/administration/accounts/index.ts";
import {
  requestPasswordReset,
  requestVerification,
  resetPassword,
  verifyEmail,
} from "#src/domain/people/mailed-links/index.ts";
import { findAccount } from "#src/domain/people/oauth/find-account.ts";
import { refreshSession, startSession } from "#src/domain/access/sessions/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { fileDatabase } from "#test/support/database.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { mailing } from "#test/support/mailbox.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await fileDatabase();

type Person = Awaited<ReturnType<typeof newPerson>>;
type Admin = Awaited<ReturnType<typeof newAdministrator>>;
type Act = (person: Person, admin: Admin) => Promise<() => Promise<unknown>>;

const unused = () => Promise.reject(new Error("It was not to be asked"));
const queue = { publish: unused, publishBatch: async () => {}, ensureSchedule: unused, answers: unused };

const deletion: Act = async ({ user }, admin) => {
  const deps = {
    db: database.db,
    log: createLog(),
    workspaces: { destroy: unused },
    queue,
    followUps: FOLLOW_UPS,
    taskLogs: partOf<TaskLogs>({ requestStop: unused }),
  };
  return () => deleteAccount(deps, { caller: admin.caller, address: "192.0.2.9" }, user.id);
};

const takeover: Act = async ({ user }) => {
  const identity = { provider: "github", accountId: crypto.randomUUID(), email: user.email } as const;
  return () => findAccount({ ...sessionDeps(database.db), queue }, identity, CLIENT);
};

const signIn: Act =
  async ({ user }) =>
  () =>
    startSession(sessionDeps(database.db), user, CLIENT, "password");

const reuse: Act = async ({ session }) => {
  await refreshSession(sessionDeps(database.db), session.refreshToken, CLIENT);
  return () => refreshSession(sessionDeps(database.db), session.refreshToken, CLIENT);
};

const reset: Act = async ({ user }) => {
  const mail = mailing(database.db);
  await requestPasswordReset(mail.deps, user.email, CLIENT);
  const { token } = await mail.linkFor(user.email);
  return () => resetPassword(mail.deps, { token, password: "another horse" }, CLIENT);
};

const proof: Act = async ({ user }) => {
  const mail = mailing(database.db);
  await requestVerification(mail.deps, user.email, CLIENT);
  const { token } = await mail.linkFor(user.email);
  return () => verifyEmail(sessionDeps(database.db), { token }, CLIENT);
};

const disabling: Act =
  async ({ user }, admin) =>
  () =>
    changeAccount(
      { ...sessionDeps(database.db), queue },
      { caller: admin.caller, address: "192.0.2.9" },
      user.id,
      {
        isActive: false,
      },
    );

/** How a call ended: "done", the code of a refusal, or PostgreSQL's message. */
async function outcomeOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
    return "done";
  } catch (error) {
    const { code, cause } = fieldsOf(error);
    return String(code ?? (cause instanceof Error ? cause.message : error));
  }
}

describe.skipIf(onlyEmbedded())("no deadlock (needs TEST_DATABASE_URL):", () => {
  it.each([
    ["a session that is opened", "an account that is deleted", signIn, deletion, lockOwnTeam],
    ["a session that is opened", "an account that changes hands", signIn, takeover, lockOwnTeam],
    ["a token that comes twice", "an account that is deleted", reuse, deletion, lockOwnTeam],
    ["a token that comes twice", "an account that changes hands", reuse, takeover, lockOwnTeam],
    ["a new password", "an account that is deleted", reset, deletion, lockOwnTeam],
    ["a new password", "an account that changes hands", reset, takeover, lockOwnTeam],
    ["an account that is disabled", "one that changes hands", disabling, takeover, lockOwnTeam],
    ["an address that is proved", "an account that changes hands", proof, takeover, lockPerson],
    ["an address that is proved", "an account that is deleted", proof, deletion, lockPerson],
  ] as const)("%s, %s", async (_, __, one, other, lock) => {
    const { db } = database;
    const [person, admin] = [await newPerson(db), await newAdministrator(db)];
    const [first, second] = [await other(person, admin), await one(person, admin)];
    const held = await holdOpen(db, lock(db, person.user.id));
    const outcomes = [outcomeOf(first())];
    await untilWaiting(db, 1);
    outcomes.push(outcomeOf(second()));
    await untilWaiting(db, 2);
    await held.release();
    const ends = await Promise.all(outcomes);
    expect(ends[0]).toBe("done");
    expect(ends[1]).toMatch(/^(done|conflict|unauthenticated|invalid_input)$/u);
  });
});
