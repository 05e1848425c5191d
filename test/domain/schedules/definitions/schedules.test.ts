import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { projects, schedules } from "#src/db/schema/index.ts";
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  pauseSchedule,
  requireOrigin,
  requireSchedule,
  resumeSchedule,
  updateSchedule,
  type ScheduleInput,
  type SettingsChange,
} from "#src/domain/schedules/definitions/index.ts";
import { joinTeam, newProject, newTeam } from "#test/support/colleagues.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { runMortal } from "#test/support/mortal.ts";
import { ago, MINUTE_MS, ScheduleWorld, type Person } from "../support/schedule-world.ts";

const database = await fileDatabase();
const { db } = database;
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
});

const LIMIT = 5;

const create = (input: Partial<ScheduleInput> = {}, limit = LIMIT) =>
  createSchedule(world.deps({ limit }), person.caller, {
    projectId: person.projectId,
    name: "Issues",
    schedule: "weekdays at 9:30am",
    timezone: "Europe/London",
    promptTemplate: "Summarise the open issues",
    agentId: null,
    deliver: "origin",
    repeat: null,
    editMode: "allow",
    catchUp: "once",
    overlap: "skip",
    origin: undefined,
    ...input,
  });

const clockIn = (timeZone: string, { nextRunAt }: { nextRunAt: Date | null }) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(nextRunAt ?? 0);

const update = (id: string, change: SettingsChange) =>
  updateSchedule(world.deps({ limit: LIMIT }), person.caller, id, change);
const resume = (id: string) => resumeSchedule(world.deps({ limit: LIMIT }), person.caller, id);
const pause = (id: string) => pauseSchedule(database, person.caller, id);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    ({ code }: { code: string }) => code,
  );

describe("a new schedule", () => {
  it("is active, and its first moment is in its own time zone; with a single moment it runs once", async () => {
    const begun = Date.now();
    const made = await create();
    expect(made).toMatchObject({ isActive: true, normalizedCron: "30 9 * * 1-5", runsCompleted: 0 });
    expect(clockIn("Europe/London", made)).toBe("09:30");
    expect(made.nextRunAt?.getTime()).toBeGreaterThan(begun);
    expect(await create({ schedule: "in 2 hours" })).toMatchObject({ repeat: 1, timing: { kind: "once" } });
  });

  it.each<[string, Partial<ScheduleInput>, string]>([
    ["a text that is not understood", { schedule: "now and then" }, "invalid_input"],
    ["a moment that has passed", { schedule: "2020-01-01T09:00:00Z" }, "invalid_input"],
    ["an unknown time zone", { timezone: "Mars/Olympus" }, "invalid_input"],
    ["an unknown platform", { deliver: "fax:12" }, "invalid_input"],
    ["a target that its platform cannot have", { deliver: `telegram:${"1".repeat(300)}` }, "invalid_input"],
    ["an unknown agent", { agentId: crypto.randomUUID() }, "not_found"],
    ["an unknown project", { projectId: crypto.randomUUID() }, "not_found"],
  ])("is refused for %s, and nothing is stored", async (_, input, code) => {
    expect(await codeOf(create(input))).toBe(code);
    expect(await listSchedules(database, person.caller, { limit: 10, offset: 0 })).toEqual([]);
  });

  it("needs the permission to edit the project", async () => {
    const { id: teamId, owner } = await newTeam(db);
    await joinTeam(db, person, teamId, "viewer");
    const { id: projectId } = await newProject(db, owner);
    await db.update(projects).set({ teamId }).where(eq(projects.id, projectId));
    expect(await codeOf(create({ projectId }))).toBe("forbidden");
  });

  it("has an origin that its owner writes through alone", async () => {
    const [team, other] = [await world.rows.person(), await world.rows.person()];
    const { projectId } = await world.rows.join(person, team.projectId);
    const own = await world.rows.channel(person);
    const ofTeam = await world.rows.channel(team, { projectId });
    const foreign = await world.rows.channel(other, { projectId: other.projectId });
    const ask = (input: Partial<Parameters<typeof requireOrigin>[2]>) => {
      const whole = { platform: null, chatId: "-7", channelId: own.id, projectId, ...input };
      return requireOrigin(database, person.caller, whole);
    };
    const origin = { originPlatform: "telegram", originConfigId: own.id, originChatId: "-7" };
    expect(await ask({})).toMatchObject(origin);
    expect(await ask({ chatId: null, channelId: null })).toBeUndefined();
    expect(await codeOf(ask({ channelId: foreign.id }))).toBe("not_found");
    for (const input of [{ platform: "slack" as const }, { chatId: null }])
      expect(await codeOf(ask(input))).toBe("invalid_input");
    // Through another's channel: a chat of one's own, while one is linked there and the project is the channel's.
    await world.rows.session(person, ofTeam, { chatId: "-8" });
    expect(await codeOf(ask({ channelId: ofTeam.id, chatId: "-8" }))).toBe("not_found");
    for (const channel of [ofTeam, foreign]) {
      await world.rows.identity(person, { channelConfigId: channel.id });
      await world.rows.session(person, channel, { chatId: "-9" });
    }
    const inTeam = { channelId: ofTeam.id, chatId: "-9" };
    expect(await ask(inTeam)).toMatchObject({ originConfigId: ofTeam.id });
    expect(await codeOf(ask({ ...inTeam, projectId: person.projectId }))).toBe("not_found");
    expect(await codeOf(ask({ channelId: foreign.id, chatId: "-9" }))).toBe("not_found");
  });

  it("is its owner's alone", async () => {
    const { id } = await create();
    const other = await world.rows.person();
    const deps = world.deps();
    for (const act of [
      () => requireSchedule(database, other.caller, id),
      () => updateSchedule(deps, other.caller, id, { name: "Mine" }),
      () => pauseSchedule(database, other.caller, id),
      () => resumeSchedule(deps, other.caller, id),
      () => deleteSchedule(database, other.caller, id),
      () => requireSchedule(database, person.caller, "no-id"),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: "not_found", message: "Schedule not found" });
    }
    await deleteSchedule(database, person.caller, id);
    expect(await codeOf(requireSchedule(database, person.caller, id))).toBe("not_found");
  });
});

/** How many active schedules the person has. */
const active = async () =>
  (await listSchedules(database, person.caller, { isActive: true, limit: 100, offset: 0 })).length;

describe("the limit of active schedules", () => {
  it("holds for those that are resumed and made at once", async () => {
    const rows = Array.from({ length: 10 }, () => world.valuesOf(person, { isActive: false }));
    await db.insert(schedules).values(rows);
    const { done } = await allAtOnce([...rows.map(({ id }) => resume(id)), create(), create(), create()]);
    expect([done.length, await active()]).toEqual([LIMIT, LIMIT]);
  });

  it("counts active ones of the person alone, and makes room when one is paused, ends or is deleted", async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < LIMIT; nth += 1) ids.push((await create()).id);
    const [paused = "", ended = "", deleted = "", kept = ""] = ids;
    await pause(paused);
    ids.push((await create()).id);
    expect(await codeOf(resume(paused))).toBe("rate_limited");
    await db.update(schedules).set({ repeat: 1 }).where(eq(schedules.id, ended));
    await world.makeDue(ended);
    await world.tick();
    await resume(paused);
    await deleteSchedule(database, person.caller, deleted);
    await create();
    expect(await codeOf(create())).toBe("rate_limited");
    // A schedule that is active already takes no further place.
    expect(await resume(kept)).toMatchObject({ isActive: true });
    const other = await world.rows.person();
    await world.schedule(other);
    expect(await active()).toBe(LIMIT);
  });

  it("leaves nothing behind of a request that dies", async () => {
    for (let call = 1; call < 10; call += 1) {
      for (const isDone of [false, true]) await runMortal({ call, isDone }, () => create({}, 100));
    }
    const found = await listSchedules(database, person.caller, { limit: 100, offset: 0 });
    expect(found.filter(({ schedule }) => !schedule.isActive)).toEqual([]);
  });
});

describe("a change", () => {
  it("of one field leaves the others as they are", async () => {
    const { id, ...made } = await create({ repeat: 7, catchUp: "skip", overlap: "queue" });
    const changes: SettingsChange[] = [
      { name: "News" },
      { promptTemplate: "Read {date}" },
      { deliver: "none" },
      { repeat: 9 },
      { repeat: null },
      { editMode: "ask" },
      { catchUp: "once" },
      { overlap: "allow" },
      {},
    ];
    let expected: object = { ...made, updatedAt: expect.any(Date) };
    for (const change of changes) {
      expected = { ...expected, ...change };
      expect(await update(id, { schedule: undefined, ...change })).toEqual({ id, ...expected });
    }
  });

  it("of the text or the time zone counts from now", async () => {
    const { id, nextRunAt } = await create({ schedule: "daily at 9am" });
    const moved = await update(id, { timezone: "Pacific/Auckland" });
    expect(moved.nextRunAt).not.toEqual(nextRunAt);
    expect(clockIn("Pacific/Auckland", moved)).toBe("09:00");
    const begun = Date.now();
    const every = await update(id, { schedule: "every 45m" });
    const next = every.nextRunAt?.getTime();
    expect(next).toBeGreaterThan(begun + 44 * MINUTE_MS);
    expect(next).toBeLessThanOrEqual(Date.now() + 45 * MINUTE_MS);
    for (const change of [
      { schedule: "sometimes" },
      { timezone: "Mars/Olympus" },
      { deliver: "slack:general" },
    ])
      expect(await codeOf(update(id, change))).toBe("invalid_input");
    expect(await codeOf(update(id, { agentId: crypto.randomUUID() }))).toBe("not_found");
  });

  it("to a single moment and back changes the number of runs as far as it follows from the text", async () => {
    const { id } = await create({ schedule: "in 2 hours" });
    expect(await update(id, { schedule: "daily at 9am" })).toMatchObject({ repeat: null });
    expect(await update(id, { schedule: "in 3 hours" })).toMatchObject({ repeat: 1 });
    expect(await update(id, { schedule: "daily at 9am", repeat: 4 })).toMatchObject({ repeat: 4 });
    expect(await update(id, { schedule: "hourly" })).toMatchObject({ repeat: 4 });
  });

  it("while a tick has the row makes nothing of the earlier moment", async () => {
    const id = await world.schedule(person, { nextRunAt: ago(1_000) });
    // The tick dies after it has read the row: what it would have stored is stored by a later one, or never.
    expect(await runMortal({ call: 1, isDone: true }, () => world.tick())).toBe(true);
    expect((await world.found(id)).claimedUntil).not.toBeNull();
    const changed = await update(id, { schedule: "every 20m" });
    expect(changed).toMatchObject({ claimedUntil: null, isActive: true });
    await world.recover();
    expect(await world.runs(id)).toEqual([]);
    expect(await world.found(id)).toMatchObject({ nextRunAt: changed.nextRunAt, runsCompleted: 0 });
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["a change", (id) => update(id, { schedule: "every 20m" })],
    ["a pause", pause],
    ["a deletion", (id) => deleteSchedule(database, person.caller, id)],
    ["a pause and its end", (id) => pause(id).then(() => resume(id))],
  ])(
    "or the like, which comes between the tick's reading and its writing, wins: %s",
    async (_, interfere) => {
      const id = await world.schedule(person);
      await world.tickWith(() => interfere(id));
      expect(await world.runs(id)).toEqual([]);
      expect(world.waiting).toEqual([]);
    },
  );

  it("of other fields while a tick has the row keeps the moment, which is run once", async () => {
    const id = await world.schedule(person);
    await world.tickWith(async () => {
      await update(id, { name: "News" });
      await world.tick();
    });
    expect(await world.statuses(id)).toEqual(["enqueued"]);
    expect(await world.found(id)).toMatchObject({ runsCompleted: 1, name: "News" });
  });
});

describe("a schedule that is paused", () => {
  it("goes on from now when it is resumed", async () => {
    const id = await world.schedule(person, { nextRunAt: ago(40 * MINUTE_MS) });
    expect(await pause(id)).toMatchObject({ isActive: false, pausedReason: null });
    await world.tick();
    const begun = Date.now();
    expect((await resume(id)).nextRunAt?.getTime()).toBeGreaterThan(begun);
    await world.tick();
    expect(await world.runs(id)).toEqual([]);
  });

  it("counts anew, when it had ended, and is not resumed for a moment that has passed", async () => {
    const id = await world.schedule(person, { repeat: 1 });
    await world.runOnce(id);
    expect(await resume(id)).toMatchObject({ isActive: true, runsCompleted: 0, repeat: 1 });
    const at = ago(1_000);
    const timing = { kind: "once", at: at.toISOString() } as const;
    const over = await world.schedule(person, { timing, nextRunAt: at, repeat: 1 });
    await world.runOnce(over);
    expect(await codeOf(resume(over))).toBe("invalid_input");
  });
});

describe("a list of schedules", () => {
  it("is the person's, newest first, in pages, of a project or in a state", async () => {
    const elsewhere = { ...person, projectId: await world.rows.project(person) };
    const ids = [
      await world.schedule(person, { createdAt: new Date(1_000) }),
      await world.schedule(person, { createdAt: new Date(2_000), isActive: false }),
      await world.schedule(elsewhere, { createdAt: new Date(3_000) }),
    ];
    await world.schedule(await world.rows.person());
    const list = async (filter: Partial<Parameters<typeof listSchedules>[2]> = {}) => {
      const found = await listSchedules(database, person.caller, { limit: 10, offset: 0, ...filter });
      return found.map(({ schedule }) => ids.indexOf(schedule.id));
    };
    expect(await list()).toEqual([2, 1, 0]);
    expect(await list({ limit: 1, offset: 1 })).toEqual([1]);
    expect(await list({ isActive: false })).toEqual([1]);
    expect(await list({ projectId: person.projectId, isActive: true })).toEqual([0]);
  });
});
