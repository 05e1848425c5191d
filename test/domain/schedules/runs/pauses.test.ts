import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { agents, chats, projects, teamMemberships, teams, users } from "#src/db/schema/index.ts";
import { resumeSchedule } from "#src/domain/schedules/definitions/index.ts";
import { revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { joinTeam, newProject, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";
import { type Person, ScheduleWorld } from "../support/schedule-world.ts";

const { db } = await fileDatabase();
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
});

/** Gives the person a home chat on Telegram. */
async function newHome() {
  const channel = await world.rows.channel(person);
  await world.rows.identity(person, { homeChannelConfigId: channel.id, homeChatId: "-100" });
  return channel;
}

/** A project of a team that the person belongs to. */
async function newTeamProject() {
  const { id: teamId, owner } = await newTeam(db);
  await joinTeam(db, person, teamId, "editor");
  const { id: projectId } = await newProject(db, owner);
  await db.update(projects).set({ teamId }).where(eq(projects.id, projectId));
  return { teamId, projectId };
}

const SWITCHED_OFF = "owner's account is switched off";

interface Loss {
  id: string;
  lose: () => Promise<unknown>;
}

const ofTeam = (teamId: string) => eq(teamMemberships.teamId, teamId);
/** Ways to lose what a schedule needs. Each makes a schedule, and takes something away from it. */
const LOSSES: readonly [string, string, () => Promise<Loss>][] = [
  [
    "project is deleted",
    "Project not found",
    async () => {
      const projectId = await world.rows.project(person);
      const id = await world.schedule({ id: person.id, projectId });
      return { id, lose: () => db.delete(projects).where(eq(projects.id, projectId)) };
    },
  ],
  [
    "owner left the project's team",
    "Project not found",
    async () => {
      const { teamId, projectId } = await newTeamProject();
      const id = await world.schedule({ id: person.id, projectId });
      return { id, lose: () => db.delete(teamMemberships).where(ofTeam(teamId)) };
    },
  ],
  [
    "owner may only look at the project now",
    "Role 'viewer' does not have permission 'chat.send'",
    async () => {
      const { teamId, projectId } = await newTeamProject();
      const id = await world.schedule({ id: person.id, projectId });
      return { id, lose: () => db.update(teamMemberships).set({ role: "viewer" }).where(ofTeam(teamId)) };
    },
  ],
  [
    SWITCHED_OFF,
    "The owner's account is not active",
    async () => {
      const id = await world.schedule(person);
      return { id, lose: () => db.update(users).set({ isActive: false }).where(eq(users.id, person.id)) };
    },
  ],
  [
    "key that made it is revoked",
    "The API key that the schedule was made with was revoked",
    async () => {
      const { key } = await newApiKey(db, person);
      const id = await world.schedule(person, { apiKeyId: key.id });
      return { id, lose: () => revokeApiKey(world.deps(), person.id, key.id, CLIENT) };
    },
  ],
];

describe("a schedule is paused with a reason, and its owner is told once, when its", () => {
  it.each(LOSSES)("%s", async (what, reason, prepare) => {
    const home = await newHome();
    const { id, lose } = await prepare();
    await world.runOnce(id);
    expect(await world.statuses(id)).toEqual(["success"]);
    await lose();
    await world.makeDue(id);
    await world.tick();
    await Promise.all([...world.waiting, ...world.waiting].map((message) => world.handle(message)));
    await world.deliver();
    expect(await world.found(id)).toMatchObject({ isActive: false, pausedReason: reason, lastError: reason });
    expect(await world.statuses(id)).toEqual(["success", "failed"]);
    const sentence = `The schedule “Issues” is paused: ${reason}. Resume it when that is settled.`;
    // The home is in a channel of the same person, which has ended with the account.
    const isMailed = what === SWITCHED_OFF;
    const told = (await world.outbox(home)).map(({ content, jid }) => [content, jid]);
    expect(told).toEqual(isMailed ? [] : [[sentence, "telegram:-100"]]);
    const mailed = world.mails.map(({ to, text }) => to === person.email && text.includes(sentence));
    expect(mailed).toEqual(isMailed ? [true] : []);
    await world.makeDue(id);
    await world.tick();
    expect(world.waiting).toEqual([]);
  });
});

describe("a schedule of a team without credits", () => {
  it("is paused for a model that the platform pays for, and runs again when it is resumed with credits", async () => {
    const home = await newHome();
    const paid = world.deps({ model: "vendor/model" });
    const setCredits = (credits: number) =>
      db.update(teams).set(onlyCredits(credits)).where(eq(teams.id, person.personalTeamId));
    const id = await world.schedule(person);
    await setCredits(0);
    await world.runOnce(id, world.end, paid);
    const reason = "The team has no credits left";
    expect(await world.found(id)).toMatchObject({ isActive: false, pausedReason: reason });
    expect(await world.outbox(home)).toMatchObject([{ content: expect.stringContaining(reason) }]);

    await resumeSchedule(paid, person.caller, id);
    expect(await world.found(id)).toMatchObject({ isActive: true, pausedReason: null, failuresInRow: 0 });
    await world.runOnce(id, world.end, paid);
    expect(await world.found(id)).toMatchObject({ isActive: false });
    // It is another pause, of which the owner hears again.
    expect(await world.outbox(home)).toHaveLength(2);

    await resumeSchedule(paid, person.caller, id);
    await setCredits(1000);
    await world.runOnce(id, world.end, paid);
    expect(await world.statuses(id)).toEqual(["failed", "failed", "success"]);
  });

  it("goes on with a model that costs none", async () => {
    await db.update(teams).set(onlyCredits(0)).where(eq(teams.id, person.personalTeamId));
    const id = await world.schedule(person);
    await world.runOnce(id);
    expect(await world.statuses(id)).toEqual(["success"]);
  });
});

describe("the owner of a schedule hears of it", () => {
  it("on the platform that the owner set a home on last, when its channel still works", async () => {
    const gone = await world.rows.channel(person, { channelType: "slack", isActive: false });
    const other = await world.rows.channel(person);
    const home = { homeChatId: "-100", pairedAt: new Date(0) };
    await world.rows.identity(person, { ...home, homeChannelConfigId: other.id });
    await world.rows.identity(person, {
      platform: "slack",
      homeChatId: "C1",
      homeChannelConfigId: gone.id,
    });
    const id = await world.schedule(person, { projectId: null });
    await world.runOnce(id);
    expect(await world.outbox(other)).toHaveLength(1);
    expect(world.mails).toEqual([]);
  });

  it("of the third failure in a row, and not of the others", async () => {
    const home = await newHome();
    const id = await world.schedule(person);
    const told = [];
    for (let nth = 0; nth < 5; nth += 1) {
      await world.runOnce(id, { status: "failed", error: "The model is away" });
      told.push((await world.outbox(home)).length);
    }
    expect(told).toEqual([0, 0, 1, 1, 1]);
    const failed = { failuresInRow: 5, lastStatus: "failed", lastError: "The model is away" };
    expect(await world.found(id)).toMatchObject({ isActive: true, ...failed });
    await world.runOnce(id);
    expect(await world.found(id)).toMatchObject({ failuresInRow: 0, lastStatus: "success", lastError: null });
    for (let nth = 0; nth < 3; nth += 1) await world.runOnce(id, { status: "cancelled" });
    expect((await world.outbox(home)).map(({ content }) => content)).toEqual([
      "The schedule “Issues” has failed 3 times in a row: The model is away",
      "The schedule “Issues” has failed 3 times in a row: The run was stopped",
    ]);
  });

  it("by mail, without a home chat, of the only run's failure at once", async () => {
    const id = await world.schedule(person, { repeat: 1 });
    await world.runOnce(id, { status: "failed", error: "It broke" });
    const text = expect.stringContaining("The schedule “Issues” has failed: It broke");
    expect(world.mails).toMatchObject([{ to: person.email, subject: 'Your schedule "Issues"', text }]);
  });

  it("of runs that cannot be started, too", async () => {
    const agentId = crypto.randomUUID();
    await db.insert(agents).values({ id: agentId, name: "Gone", slug: agentId, isActive: false });
    const id = await world.schedule(person, { agentId, failuresInRow: 2 });
    for (const failuresInRow of [3, 4]) {
      await world.runOnce(id);
      const found = { isActive: true, failuresInRow, lastError: "Agent not found" };
      expect(await world.found(id)).toMatchObject(found);
      expect(world.mails).toHaveLength(1);
    }
  });

  it("of three failures of runs that overlap, whose ends come at once", async () => {
    const home = await newHome();
    const id = await world.schedule(person, { overlap: "allow" });
    for (let nth = 0; nth < 3; nth += 1) {
      await world.makeDue(id);
      await world.startDue();
    }
    for (const { taskId } of await world.runs(id)) {
      await world.finish(taskId, { status: "failed", error: "It broke" });
    }
    await Promise.all(world.waiting.splice(0).map((message) => world.handle(message)));
    expect(await world.found(id)).toMatchObject({ failuresInRow: 3, lastStatus: "failed" });
    await world.recover();
    expect(await world.outbox(home)).toHaveLength(1);
  });

  it("although the chat of the failed run was deleted", async () => {
    const id = await world.schedule(person, { failuresInRow: 2 });
    await world.startDue();
    const [task] = await world.tasksOf(person);
    await db.delete(chats).where(eq(chats.id, task?.chatId ?? ""));
    await world.recover();
    expect(await world.runs(id)).toMatchObject([{ status: "failed", error: "The run's chat was deleted" }]);
    expect(world.mails).toHaveLength(1);
  });
});
