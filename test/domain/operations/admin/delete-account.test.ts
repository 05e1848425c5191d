import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adminActions,
  agents,
  bases,
  chats,
  jobs,
  libraryAgents,
  libraryBases,
  projectMemberships,
  projects,
  tasks,
  teamMemberships,
  teams,
  users,
} from "#src/db/schema/index.ts";
import { upsertReview } from "#src/domain/marketplace/reviews/queries.ts";
import { deleteAccount } from "#src/domain/operations/admin/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { openDatabase } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { newPerson } from "#test/support/people.ts";
import { RACES } from "#test/support/races.ts";
import { fieldsOf } from "#test/support/fields.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let admin: Person;
beforeAll(async () => {
  database = await openDatabase();
  admin = await newAdministrator(database.db);
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

const wish = { name: "My App", description: "", sourceType: "empty" } as const;

const unused = () => Promise.reject(new Error("It was not to be asked"));

/** What is outside the database, and what it was told. */
function outside() {
  const published: string[] = [];
  const stopped: string[] = [];
  const note = ({ function: name, payload }: QueueMessage) =>
    published.push(`${name} ${String(Object.values(fieldsOf(payload))[0])}`);
  const deps = {
    db: database.db,
    log: createLog(),
    queue: {
      publish: unused,
      publishBatch: async (messages: readonly QueueMessage[]) => messages.forEach(note),
      ensureSchedule: unused,
      answers: unused,
    },
    taskLogs: {
      open: async () => {},
      requestStop: async (taskId: string) => {
        stopped.push(taskId);
        return "begun" as const;
      },
      begin: unused,
      ping: unused,
      append: unused,
      endStep: unused,
      park: unused,
      unpark: unused,
      release: unused,
      close: unused,
      lastEvent: unused,
      stream: unused,
    },
  };
  return { deps, published, stopped };
}

const remove = ({ user }: Person, by = admin, deps = outside().deps) =>
  deleteAccount(deps, { caller: by.caller, address: "192.0.2.9" }, user.id);

const exists = async ({ user }: Person) =>
  (await database.db.select().from(users).where(eq(users.id, user.id))).length === 1;

const join = (teamId: string, { user }: Person) =>
  database.db.insert(teamMemberships).values({ teamId, userId: user.id, role: "editor" });

const isIn = (teamId: string, { user }: Person) =>
  and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, user.id));

async function newTeam({ user }: Person): Promise<string> {
  const id = newId();
  await database.db.insert(teams).values({ id, name: "A team", slug: `team-${id}`, createdBy: user.id });
  await database.db.insert(teamMemberships).values({ teamId: id, userId: user.id, role: "admin" });
  return id;
}

async function newTask(
  { user }: Person,
  projectId: string,
  status: "running" | "completed",
): Promise<string> {
  const [agent] = await database.db.select().from(agents);
  const [id, chatId] = [newId(), newId()];
  await database.db.insert(chats).values({ id: chatId, userId: user.id, projectId, origin: "api" });
  const agentId = agent?.id ?? "";
  const who = { id, chatId, projectId, agentId, userId: user.id };
  await database.db.insert(tasks).values({ ...who, status, origin: "api", message: "Hello" });
  return id;
}

const shared = expect.objectContaining({
  code: "conflict",
  message: expect.stringContaining("Other people"),
});

describe("deleting an account", () => {
  it("takes all of it along, and leaves everything else", async () => {
    const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
    const own = await createProject(database, person.caller, wish);
    const others = await createProject(database, other.caller, wish);
    const team = await newTeam(person);
    const running = await newTask(person, own.id, "running");
    await newTask(person, own.id, "completed");
    const { deps, published, stopped } = outside();
    await remove(person, admin, deps);
    expect(await exists(person)).toBe(false);
    expect(await database.db.select().from(teams).where(eq(teams.id, team))).toEqual([]);
    expect([published, stopped]).toEqual([[`destroy-workspace ${own.id}`], [running]]);
    expect(await database.db.select().from(jobs).where(eq(jobs.key, own.id))).toHaveLength(1);
    expect(await database.db.select().from(projects).where(eq(projects.id, others.id))).toHaveLength(1);
  });

  it("is noted with the names it had", async () => {
    const person = await newPerson(database.db);
    await remove(person);
    const { email, username } = person.user;
    expect(
      await database.db.select().from(adminActions).where(eq(adminActions.targetId, person.user.id)),
    ).toEqual([
      expect.objectContaining({
        adminId: admin.user.id,
        actionType: "account.deleted",
        details: { email, username },
      }),
    ]);
  });

  it("is refused for oneself, and for an administrator who has lost the role since", async () => {
    const [other, person] = [await newAdministrator(database.db), await newPerson(database.db)];
    await expect(remove(admin)).rejects.toMatchObject({ code: "conflict" });
    await database.db.update(users).set({ isSuperuser: false }).where(eq(users.id, other.user.id));
    await expect(remove(person, other)).rejects.toMatchObject({ code: "forbidden" });
    expect(await exists(person)).toBe(true);
  });

  it("leaves an administrator when two delete each other at once", async () => {
    await database.db.update(users).set({ isSuperuser: false });
    const two = [await newAdministrator(database.db), await newAdministrator(database.db)] as const;
    await Promise.allSettled([remove(two[0], two[1]), remove(two[1], two[0])]);
    const left = await Promise.all(two.map(exists));
    expect(left.filter(Boolean)).toHaveLength(1);
    admin = await newAdministrator(database.db);
  });
});

describe("an account that others depend on is kept, and nothing of it is lost:", () => {
  it.each([
    [
      "it made a team that others are in",
      async (person: Person, other: Person) => join(await newTeam(person), other),
    ],
    [
      "others are in its personal team",
      async (person: Person, other: Person) => join(person.user.defaultTeamId ?? "", other),
    ],
    [
      "it owns a project in a team of others",
      async (person: Person, other: Person) => {
        const teamId = other.user.defaultTeamId ?? "";
        await join(teamId, person);
        const project = await createProject(database, person.caller, wish);
        await database.db.update(projects).set({ teamId }).where(eq(projects.id, project.id));
      },
    ],
    [
      "it is the only administrator of a team that another person made",
      async (person: Person, other: Person) => {
        const team = await newTeam(other);
        await join(team, person);
        await database.db.update(teamMemberships).set({ role: "admin" }).where(isIn(team, person));
        await database.db.update(teamMemberships).set({ role: "editor" }).where(isIn(team, other));
      },
    ],
    [
      "another person has a role in its project",
      async (person: Person, other: Person) => {
        const project = await createProject(database, person.caller, wish);
        await database.db
          .insert(projectMemberships)
          .values({ projectId: project.id, userId: other.user.id, role: "viewer" });
      },
    ],
  ])("%s", async (_, make) => {
    const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
    await make(person, other);
    const { deps, published } = outside();
    await expect(remove(person, admin, deps)).rejects.toEqual(shared);
    expect([await exists(person), published]).toEqual([true, []]);
    expect(
      await database.db.select().from(adminActions).where(eq(adminActions.targetId, person.user.id)),
    ).toEqual([]);
  });

  it("takes its ratings out of the sums of what it reviewed", async () => {
    const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
    const [agent, base] = [await listAgent(database.db), await listBase(database.db)];
    const rated = { kind: "agent", comment: null } as const;
    for (const [who, rating] of [
      [person, 1],
      [other, 5],
    ] as const) {
      const review = { ...rated, userId: who.user.id, rating };
      await upsertReview(database.db, { ...review, itemId: agent.id });
      await upsertReview(database.db, { ...review, kind: "base", itemId: base.id });
    }
    await remove(person);
    const left = { ratingSum: 5, reviewsCount: 1 };
    expect(await database.db.select().from(agents).where(eq(agents.id, agent.id))).toMatchObject([left]);
    expect(await database.db.select().from(bases).where(eq(bases.id, base.id))).toMatchObject([left]);
  });

  it.each(["agent", "base"] as const)(
    "is refused while a team has an %s of it that it paid for",
    async (kind) => {
      const [person, payer] = [await newPerson(database.db), await newPerson(database.db)];
      const teamId = payer.user.defaultTeamId ?? "";
      if (kind === "agent") {
        const made = { teamId: person.user.defaultTeamId, createdBy: person.user.id };
        const { id: agentId } = await listAgent(database.db, {
          ...made,
          pricingType: "one_time",
          priceCents: 500,
        });
        await database.db.insert(libraryAgents).values({ teamId, agentId, purchaseType: "one_time" });
      } else {
        const { id: baseId } = await listBase(database.db, { createdBy: person.user.id });
        await database.db.insert(libraryBases).values({ teamId, baseId, purchaseType: "one_time" });
      }
      await expect(remove(person)).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("paid"),
      });
      expect(await exists(person)).toBe(true);
    },
  );

  it("a member of another person's team who owns nothing there is deleted", async () => {
    const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
    await join(other.user.defaultTeamId ?? "", person);
    const project = await createProject(database, other.caller, wish);
    await remove(person);
    expect([await exists(person), await exists(other)]).toEqual([false, true]);
    expect(await database.db.select().from(projects).where(eq(projects.id, project.id))).toHaveLength(1);
  });

  it("when a member joins at the same time, one of the two is refused, and no member is left in a deleted team", async () => {
    const rounds = await Promise.all(
      Array.from({ length: RACES }, async () => {
        const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
        const teamId = await newTeam(person);
        const outcomes = await Promise.allSettled([remove(person), join(teamId, other)]);
        return [...outcomes.map(({ status }) => status), await exists(person)];
      }),
    );
    for (const [removed, joined, there] of rounds) {
      expect([
        ["fulfilled", "rejected", false],
        ["rejected", "fulfilled", true],
      ]).toContainEqual([removed, joined, there]);
    }
  });
});
