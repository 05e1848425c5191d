import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
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
import { deleteAccount } from "#src/domain/administration/accounts/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { joinTeam, newColleague, newProject, newTeam, type Colleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { partOf } from "#test/support/part-of.ts";
import { RACES } from "#test/support/races.ts";
import { fieldsOf } from "#test/support/fields.ts";

const { db } = await fileDatabase();
async function newAdmin() {
  const { user, caller } = await newAdministrator(db);
  return { id: user.id, caller };
}
let admin = await newAdmin();

/** What is outside the database, and what it was told. */
function outside() {
  const published: string[] = [];
  const stopped: string[] = [];
  const note = ({ function: name, payload }: QueueMessage) =>
    published.push(`${name} ${String(Object.values(fieldsOf(payload))[0])}`);
  const deps = partOf<Parameters<typeof deleteAccount>[0]>({
    db,
    log: createLog(),
    queue: partOf({ publishBatch: async (messages: readonly QueueMessage[]) => messages.forEach(note) }),
    taskLogs: partOf({
      open: async () => {},
      goOn: async () => {},
      requestStop: async (taskId: string) => {
        stopped.push(taskId);
        return "begun" as const;
      },
    }),
  });
  return { deps, published, stopped };
}

type Who = { id: string };

const remove = ({ id }: Who, by = admin, deps = outside().deps) =>
  deleteAccount(deps, { caller: by.caller, address: "192.0.2.9" }, id);
const exists = async ({ id }: Who) => (await db.$count(users, eq(users.id, id))) === 1;
const trailOf = ({ id }: Who) => db.select().from(adminActions).where(eq(adminActions.targetId, id));
const join = (teamId: string, person: Colleague) => joinTeam(db, person, teamId, "editor");
const teamBy = async (person: Colleague) => (await newTeam(db, person)).id;
const isIn = (teamId: string, { id }: Who) =>
  and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, id));

async function newTask({ id: userId }: Who, projectId: string, status: "queued" | "running" | "completed") {
  const [agent] = await db.select().from(agents);
  const [id, chatId] = [newId(), newId()];
  await db.insert(chats).values({ id: chatId, userId, projectId, origin: "api" });
  const who = { id, chatId, projectId, agentId: agent?.id ?? "", userId };
  const asked = { origin: "api", source: { kind: "api" }, message: "Hello" } as const;
  await db.insert(tasks).values({ ...who, status, ...asked });
  return id;
}

const shared = expect.objectContaining({
  code: "conflict",
  message: expect.stringContaining("Other people"),
});

describe("deleting an account", () => {
  it("takes all of it along, and leaves everything else", async () => {
    const [person, other] = [await newColleague(db), await newColleague(db)];
    const own = await newProject(db, person);
    const others = await newProject(db, other);
    await join(other.personalTeamId, person);
    const team = await teamBy(person);
    const running = await newTask(person, own.id, "running");
    await newTask(person, own.id, "completed");
    const { deps, published, stopped } = outside();
    await remove(person, admin, deps);
    expect([await exists(person), await exists(other)]).toEqual([false, true]);
    expect([published, stopped]).toEqual([[`destroy-workspace ${own.id}`], [running]]);
    expect(await db.$count(jobs, eq(jobs.key, own.id))).toBe(1);
    const left = [
      await db.$count(teams, eq(teams.id, team)),
      await db.$count(projects, eq(projects.id, others.id)),
    ];
    expect(left).toEqual([0, 1]);
    const { email } = person;
    const details = { email, username: email.split("@")[0] };
    expect(await trailOf(person)).toMatchObject([
      { adminId: admin.id, actionType: "account.deleted", details },
    ]);
  });

  it("gives the turn that its tasks had in chats of others to those behind them", async () => {
    const [person, other] = [await newColleague(db), await newColleague(db)];
    const project = await newProject(db, other);
    const [head, behind] = [
      await newTask(other, project.id, "queued"),
      await newTask(other, project.id, "queued"),
    ];
    const [{ chatId } = { chatId: "" }] = await db.select().from(tasks).where(eq(tasks.id, behind));
    await db.update(tasks).set({ userId: person.id, chatId }).where(eq(tasks.id, head));
    await db
      .update(chats)
      .set({ unfinishedTasks: [head, behind] })
      .where(eq(chats.id, chatId));
    await remove(person);
    const [chat] = await db.select().from(chats).where(eq(chats.id, chatId));
    expect(chat?.unfinishedTasks).toEqual([behind]);
  });

  it("is refused for oneself, and for an administrator who has lost the role since", async () => {
    const [other, person] = [await newAdmin(), await newColleague(db)];
    await expect(remove(admin)).rejects.toMatchObject({ code: "conflict" });
    await db.update(users).set({ isSuperuser: false }).where(eq(users.id, other.id));
    await expect(remove(person, other)).rejects.toMatchObject({ code: "forbidden" });
    expect(await exists(person)).toBe(true);
  });

  it("leaves an administrator when two delete each other at once", async () => {
    await db.update(users).set({ isSuperuser: false });
    const two = [await newAdmin(), await newAdmin()] as const;
    await Promise.allSettled([remove(two[0], two[1]), remove(two[1], two[0])]);
    const left = await Promise.all(two.map(exists));
    expect(left.filter(Boolean)).toHaveLength(1);
    admin = await newAdmin();
  });
});

describe("an account that others depend on is kept, and nothing of it is lost:", () => {
  it.each<[string, (person: Colleague, other: Colleague) => Promise<unknown>]>([
    ["it made a team that others are in", async (person, other) => join(await teamBy(person), other)],
    ["others are in its personal team", async (person, other) => join(person.personalTeamId, other)],
    [
      "it owns a project in a team of others",
      async (person, other) => {
        const teamId = other.personalTeamId;
        await join(teamId, person);
        const project = await newProject(db, person);
        await db.update(projects).set({ teamId }).where(eq(projects.id, project.id));
      },
    ],
    [
      "it is the only administrator of a team that another person made",
      async (person, other) => {
        const team = await teamBy(other);
        await join(team, person);
        await db.update(teamMemberships).set({ role: "admin" }).where(isIn(team, person));
        await db.update(teamMemberships).set({ role: "editor" }).where(isIn(team, other));
      },
    ],
    [
      "another person has a role in its project",
      async (person, other) => {
        const project = await newProject(db, person);
        await db
          .insert(projectMemberships)
          .values({ projectId: project.id, userId: other.id, role: "viewer" });
      },
    ],
  ])("%s", async (_, make) => {
    const [person, other] = [await newColleague(db), await newColleague(db)];
    await make(person, other);
    const { deps, published } = outside();
    await expect(remove(person, admin, deps)).rejects.toEqual(shared);
    expect([await exists(person), published]).toEqual([true, []]);
    expect(await trailOf(person)).toEqual([]);
  });

  it("takes its ratings out of the sums of what it reviewed", async () => {
    const [person, other] = [await newColleague(db), await newColleague(db)];
    const [agent, base] = [await listAgent(db), await listBase(db)];
    const rated = { kind: "agent", comment: null } as const;
    for (const [who, rating] of [
      [person, 1],
      [other, 5],
    ] as const) {
      const review = { ...rated, userId: who.id, rating };
      await upsertReview(db, { ...review, itemId: agent.id });
      await upsertReview(db, { ...review, kind: "base", itemId: base.id });
    }
    await remove(person);
    const left = { ratingSum: 5, reviewsCount: 1 };
    expect(await db.select().from(agents).where(eq(agents.id, agent.id))).toMatchObject([left]);
    expect(await db.select().from(bases).where(eq(bases.id, base.id))).toMatchObject([left]);
  });

  it.each<[string, (person: Colleague, teamId: string) => Promise<unknown>]>([
    [
      "agent",
      async ({ id: createdBy, ...person }, teamId) => {
        const price = { pricingType: "one_time", priceCents: 500 } as const;
        const agent = await listAgent(db, { teamId: person.personalTeamId, createdBy, ...price });
        return db.insert(libraryAgents).values({ teamId, agentId: agent.id, purchaseType: "one_time" });
      },
    ],
    [
      "template",
      async ({ id: createdBy }, teamId) => {
        const base = await listBase(db, { createdBy });
        return db.insert(libraryBases).values({ teamId, baseId: base.id, purchaseType: "one_time" });
      },
    ],
  ])("is refused while a team has a %s of it that it paid for", async (_, sell) => {
    const [person, payer] = [await newColleague(db), await newColleague(db)];
    await sell(person, payer.personalTeamId);
    const refusal = { code: "conflict", message: expect.stringContaining("paid") };
    await expect(remove(person)).rejects.toMatchObject(refusal);
    expect(await exists(person)).toBe(true);
  });

  it("when a member joins at the same time, one of the two is refused, and no member is left in a deleted team", async () => {
    const rounds = await Promise.all(
      Array.from({ length: RACES }, async () => {
        const [person, other] = [await newColleague(db), await newColleague(db)];
        const teamId = await teamBy(person);
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
