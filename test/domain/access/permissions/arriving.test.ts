import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { sessions, users } from "#src/db/schema/index.ts";
import { arrivingCaller } from "#src/domain/access/permissions/index.ts";
import { requireProjectAndRead } from "#src/domain/workspaces/projects/index.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

const { db, trips } = await fileDatabase();

/** A person who arrives, and who opens a project by its slug. */
async function newArrival() {
  const { caller, user } = await newPerson(db);
  // The first account of an installation is an administrator's.
  await db.update(users).set({ isSuperuser: false }).where(eq(users.id, user.id));
  const arriving = arrivingCaller(caller);
  return {
    arriving,
    caller,
    user,
    open: (slug: string) => requireProjectAndRead({ db }, arriving, slug, "project.view", () => []),
    signOut: () => db.update(sessions).set({ endedAt: new Date() }).where(eq(sessions.id, caller.sessionId)),
  };
}

it("a person's sign-in is read with the project, in one round trip", async () => {
  const person = await newArrival();
  const { id, slug } = await newProject(db, person);
  const before = trips.db;
  const { project } = await person.open(slug);
  await person.arriving.ensureAdmitted(db);
  expect([project.id, project.role, trips.db - before]).toEqual([id, "admin", 1]);
});

it("a person who has signed out gets nothing, whatever is asked for", async () => {
  const person = await newArrival();
  const { slug } = await newProject(db, person);
  await person.signOut();
  const asked = await Promise.allSettled([person.open(slug), person.open("no-such-project")]);
  const unread = person.arriving.ensureAdmitted(db);
  await expect(unread).rejects.toMatchObject({ code: "unauthenticated" });
  expect(asked).toMatchObject([
    { reason: { code: "unauthenticated" } },
    { reason: { code: "unauthenticated" } },
  ]);
});

it("an administrator of the installation has those rights", async () => {
  const administrator = await newArrival();
  const { slug } = await newProject(db, await newColleague(db));
  await expect(administrator.open(slug)).rejects.toMatchObject({ code: "not_found" });
  await db.update(users).set({ isSuperuser: true }).where(eq(users.id, administrator.user.id));
  const { project } = await administrator.open(slug);
  expect(project.role).toBe("admin");
});
