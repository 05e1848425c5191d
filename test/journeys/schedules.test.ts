import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newChannelRow } from "#test/support/channels.ts";
import { scheduleClient, YEARLY, type ScheduleClient, type ScheduleView } from "#test/support/schedules.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { script } from "#test/support/task-client.ts";

/** Active schedules that a person may have here. */
const MOST = 3;

let service: TestService;
beforeAll(async () => {
  service = await startService({ GATEWAY_MAX_SCHEDULES_PER_USER: String(MOST) });
});
afterAll(() => service.close());

const MISSING = { status: 404, body: { detail: "Schedule not found" } };
const PROMPT = script({ text: "Watered." });

interface Owner extends ScheduleClient {
  id: string;
  token: string;
  projectId: string;
}

/** A new person with a project and no schedules. */
async function newOwner(): Promise<Owner> {
  const { id, token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  return { id, token, projectId, ...scheduleClient(service, { token, projectId }) };
}

const idsOf = (found: readonly ScheduleView[]) => found.map(({ id }) => id);

describe("a schedule", () => {
  it("is made with what is usual for all that is not said", async () => {
    const { call, projectId, get } = await newOwner();
    const made = await call("POST", "", {
      project_id: projectId,
      name: "Brief",
      schedule: "Weekdays at 9am",
      prompt_template: PROMPT,
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        project_id: projectId,
        agent_id: null,
        name: "Brief",
        schedule: "Weekdays at 9am",
        cron_expression: "Weekdays at 9am",
        normalized_cron: "0 9 * * 1-5",
        description: "at 09:00, Monday to Friday, UTC",
        timezone: "UTC",
        prompt_template: PROMPT,
        prompt: PROMPT,
        deliver: "origin",
        edit_mode: "allow",
        catch_up: "once",
        overlap: "skip",
        repeat: null,
        origin_platform: null,
        origin_chat_id: null,
        origin_config_id: null,
        is_active: true,
        paused: false,
        paused_reason: null,
        runs_completed: 0,
        next_run_at: expect.stringMatching(/T09:00:00\.000Z$/u),
        last_run_at: null,
        last_status: null,
        last_error: null,
        last_task_id: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    });
    expect(await get(made.body.id)).toEqual(made.body);
  });

  it("is made with the other names of its fields, and with all that can be said", async () => {
    const { call, projectId } = await newOwner();
    const said = {
      project_id: projectId,
      name: "Once",
      cron_expression: "2999-02-03T04:05",
      prompt: PROMPT,
      deliver: "origin, telegram:5,telegram:5, Slack",
      timezone: "europe/london",
      edit_mode: "plan",
      catch_up: "skip",
      overlap: "queue",
      repeat: 7,
    };
    const { body } = await call("POST", "", said);
    expect(body).toMatchObject({
      ...said,
      schedule: "2999-02-03T04:05",
      prompt_template: PROMPT,
      timezone: expect.stringMatching(/^europe\/london$/iu),
      next_run_at: "2999-02-03T04:05:00.000Z",
    });
  });

  it("that has one moment ends after one run, unless it is said otherwise", async () => {
    const { create, call } = await newOwner();
    const { id, repeat } = await create(PROMPT, { schedule: "in 2 hours" });
    expect(repeat).toBe(1);
    expect((await call("PATCH", `/${id}`, { schedule: "every 2h", repeat: 0 })).body.repeat).toBeNull();
    expect((await call("PATCH", `/${id}`, { schedule: "tomorrow at noon" })).body.repeat).toBe(1);
  });

  it("is first run at the hour of its own time zone", async () => {
    const { create, call } = await newOwner();
    const { id, next_run_at } = await create(PROMPT, { schedule: "daily at 9am", timezone: "Asia/Tokyo" });
    expect(next_run_at).toMatch(/T00:00:00\.000Z$/u);
    const moved = await call("PATCH", `/${id}`, { timezone: "Asia/Kolkata" });
    expect(moved.body.next_run_at).toMatch(/T03:30:00\.000Z$/u);
    await call("POST", `/${id}/pause`);
    const resumed = await call<{ next_run_at: string }>("POST", `/${id}/resume`);
    expect(resumed.body.next_run_at).toBe(moved.body.next_run_at);
  });

  it("is changed field by field; what is absent or null stays", async () => {
    const { create, call, token } = await newOwner();
    const { body: agent } = await service.call<{ id: string }>("POST", "/api/agents", {
      token,
      json: { name: "Gardener" },
    });
    const made = await create(PROMPT, { agent_id: agent.id, repeat: 5 });
    expect(made.agent_id).toBe(agent.id);
    const nothing = { name: null, schedule: null, prompt_template: null, agent_id: null, deliver: null };
    const same = await call("PATCH", `/${made.id}`, { ...nothing, timezone: null, repeat: null });
    expect(same.body).toEqual({ ...made, updated_at: expect.any(String) });
    const changes = [
      { name: "Beds" },
      { prompt: "Weed the beds" },
      { prompt_template: "Water the beds" },
      { deliver: "none" },
      { edit_mode: "ask" },
      { catch_up: "skip" },
      { overlap: "allow" },
      { repeat: 2 },
    ];
    for (const change of changes) {
      expect((await call("PATCH", `/${made.id}`, change)).body).toMatchObject(change);
    }
    const last = await call("PATCH", `/${made.id}`, {
      agent_id: "",
      repeat: 0,
      cron_expression: "every 45 min",
    });
    expect(last.body).toMatchObject({
      name: "Beds",
      prompt: "Water the beds",
      agent_id: null,
      repeat: null,
      schedule: "every 45 min",
      normalized_cron: "*/45 * * * *",
      description: "every 45 minutes",
    });
  });

  it("is listed, newest first, by project and by whether it is active, in pages", async () => {
    const { create, call, token } = await newOwner();
    const { id: elsewhere } = await service.newProject(token);
    const first = await create(PROMPT);
    const second = await create(PROMPT, { project_id: elsewhere });
    const third = await create(PROMPT);
    await call("POST", `/${first.id}/pause`);
    const listed = async (query: string) => idsOf((await call<ScheduleView[]>("GET", query)).body);
    expect(await listed("")).toEqual([third.id, second.id, first.id]);
    expect(await listed(`?project_id=${elsewhere}`)).toEqual([second.id]);
    expect(await listed(`?project_id=${crypto.randomUUID()}`)).toEqual([]);
    expect(await listed("?is_active=true")).toEqual([third.id, second.id]);
    expect(await listed("?is_active=false")).toEqual([first.id]);
    expect(await listed("?limit=1&offset=1")).toEqual([second.id]);
  });

  it("is paused and resumed, both any number of times", async () => {
    const { create, call, get } = await newOwner();
    const { id, next_run_at } = await create(PROMPT);
    for (const _ of [1, 2]) {
      expect(await call("POST", `/${id}/pause`)).toMatchObject({
        status: 200,
        body: { status: "paused", id },
      });
      expect(await get(id)).toMatchObject({
        is_active: false,
        paused: true,
        paused_reason: null,
        next_run_at,
      });
    }
    for (const _ of [1, 2]) {
      const resumed = await call("POST", `/${id}/resume`);
      expect(resumed).toMatchObject({ status: 200, body: { status: "resumed", id, next_run_at } });
      expect(await get(id)).toMatchObject({ is_active: true, paused: false });
    }
  });

  it("is deleted once", async () => {
    const { create, call } = await newOwner();
    const { id } = await create(PROMPT);
    expect(await call("DELETE", `/${id}`)).toMatchObject({ status: 200, body: { status: "deleted", id } });
    expect(await call("DELETE", `/${id}`)).toMatchObject(MISSING);
    expect(await call("GET", `/${id}`)).toMatchObject(MISSING);
    expect(await call("GET", `/${id}/runs`)).toMatchObject(MISSING);
  });
});

describe("a preview", () => {
  it("tells when a text runs, and stores nothing", async () => {
    const { call } = await newOwner();
    const seen = await call<{ next_runs: string[] }>("POST", "/preview", {
      schedule: "weekdays at 9am",
      timezone: "Europe/London",
    });
    expect(seen).toMatchObject({
      status: 200,
      body: {
        description: "at 09:00, Monday to Friday, Europe/London",
        normalized_cron: "0 9 * * 1-5",
        timezone: "Europe/London",
      },
    });
    expect(seen.body.next_runs).toHaveLength(5);
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", timeStyle: "short" });
    expect(seen.body.next_runs.map((each) => clock.format(new Date(each)))).toEqual(
      Array.from({ length: 5 }, () => "09:00"),
    );
    const once = await call<{ next_runs: string[] }>("POST", "/preview", { schedule: "in 3 hours" });
    expect(once.body.next_runs).toHaveLength(1);
    expect((await call("GET", "")).body).toEqual([]);
  });
});

/** What a request is refused with; the text of a schedule is in the sentence as it was written. */
const REFUSED: [what: string, fields: object, detail: RegExp][] = [
  [
    "words that mean nothing",
    { schedule: "Now and then" },
    /^Cannot parse schedule: 'Now and then'\. Use patterns like 'every 30m'/u,
  ],
  ["too many minutes", { schedule: "every 60m" }, /^Invalid minute interval: 60$/u],
  ["too many hours", { schedule: "every 24h" }, /^Invalid hour interval: 24$/u],
  ["an hour that no clock has", { schedule: "daily at 13pm" }, /^Invalid hour: 25$/u],
  ["a minute that no clock has", { schedule: "daily at 9:75" }, /^Invalid minute: 75$/u],
  ["impossible cron fields", { schedule: "99 99 * * *" }, /./u],
  ["a day that never comes", { schedule: "0 0 30 2 *" }, /./u],
  ["a moment in the past", { schedule: "2020-01-01T00:00Z" }, /is in the past\.$/u],
  ["an unknown time zone", { timezone: "Mars/Olympus" }, /^Unknown time zone: 'Mars\/Olympus'/u],
  ["an unknown target", { deliver: "pigeon:7" }, /^deliver: there is no target "pigeon:7"/u],
  ["a target without a chat", { deliver: "telegram:" }, /^deliver: a chat id follows "telegram:"/u],
  ["none beside another target", { deliver: "none, origin" }, /^deliver: there is no target "none"/u],
  ["an empty target", { deliver: "origin,,slack" }, /^deliver: there is no target ""/u],
  [
    "too many targets",
    { deliver: Array.from({ length: 11 }, (_, index) => `telegram:${index}`).join() },
    /^deliver: at most 10 targets$/u,
  ],
];

describe("a schedule is refused", () => {
  let owner: Owner;
  let made: ScheduleView;
  beforeAll(async () => {
    owner = await newOwner();
    made = await owner.create(PROMPT);
  });

  it.each(REFUSED)("with a sentence: %s", async (_, fields, detail) => {
    const wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT, ...fields };
    const refused = { status: 400, body: { detail: expect.stringMatching(detail) } };
    expect(await owner.call("POST", "", wish)).toMatchObject(refused);
    expect(await owner.call("PATCH", `/${made.id}`, fields)).toMatchObject(refused);
    const preview = { schedule: YEARLY, ...fields };
    const seen = await owner.call("POST", "/preview", preview);
    expect(seen).toMatchObject("deliver" in fields ? { status: 200 } : refused);
    expect(await owner.get(made.id)).toEqual(made);
    expect(idsOf((await owner.call<ScheduleView[]>("GET", "")).body)).toEqual([made.id]);
  });

  it.each([
    ["no name", { name: undefined }],
    ["an empty name", { name: " " }],
    ["no project", { project_id: undefined }],
    ["no schedule", { schedule: undefined }],
    ["no prompt", { prompt: undefined }],
    ["a text that is too long", { schedule: "x".repeat(201) }],
    ["targets that are too long", { deliver: "x".repeat(1_001) }],
    ["no runs", { repeat: 0 }],
    ["half a run", { repeat: 1.5 }],
    ["a platform that there is not", { origin_platform: "pigeon" }],
    ["a mode that there is not", { edit_mode: "reckless" }],
  ])("as malformed: %s", async (_, fields) => {
    const wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT, ...fields };
    expect(await owner.call("POST", "", wish)).toMatchObject({ status: 422 });
  });

  it("with half an origin, or one of another platform or person", async () => {
    const wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT };
    const origin_config_id = await newChannelRow(service, owner.id);
    const terminal = { channelType: "cli", credentials: {} } as const;
    const refusals = [
      [{ origin_chat_id: "5" }, 400],
      [{ origin_config_id }, 400],
      [{ origin_platform: "telegram" }, 400],
      [{ origin_platform: "slack", origin_chat_id: "5", origin_config_id }, 400],
      [{ origin_chat_id: "5", origin_config_id: await newChannelRow(service, (await newOwner()).id) }, 404],
      // A terminal is reached by those alone who use it.
      [{ origin_chat_id: "5", origin_config_id: await newChannelRow(service, owner.id, terminal) }, 404],
      [{ origin_chat_id: "5", origin_config_id: crypto.randomUUID() }, 404],
    ] as const;
    for (const [origin, status] of refusals) {
      const refused = await owner.call("POST", "", { ...wish, ...origin });
      expect([origin, refused]).toMatchObject([origin, { status, body: { detail: expect.any(String) } }]);
    }
    const own = { origin_chat_id: "5", origin_config_id };
    const taken = await owner.call("POST", "", { ...wish, ...own, origin_platform: "Telegram" });
    expect(taken.body).toMatchObject({ ...own, origin_platform: "telegram" });
  });

  it("for an agent of another team", async () => {
    const { token } = await service.signUp();
    const json = { name: "Theirs" };
    const theirs = await service.call<{ id: string }>("POST", "/api/agents", { token, json });
    const wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT };
    const agent = { agent_id: theirs.body.id };
    expect(await owner.call("POST", "", { ...wish, ...agent })).toMatchObject({ status: 404 });
    expect(await owner.call("PATCH", `/${made.id}`, agent)).toMatchObject({ status: 404 });
  });
});

describe("a person with the most active schedules", () => {
  it("makes and resumes no other, also with many requests at once, until one is paused or deleted", async () => {
    const { call, create, projectId } = await newOwner();
    const wish = { project_id: projectId, name: "Many", schedule: YEARLY, prompt: PROMPT };
    const full = { status: 429, body: { detail: `Maximum ${MOST} active schedules allowed` } };
    const answers = await Promise.all(Array.from({ length: MOST * 2 }, () => call("POST", "", wish)));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body);
    expect(made).toHaveLength(MOST);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(full);
    expect(idsOf((await call<ScheduleView[]>("GET", "")).body).toSorted()).toEqual(idsOf(made).toSorted());

    const [first, second] = made;
    await call("POST", `/${first?.id}/pause`);
    const another = await create(PROMPT);
    expect(await call("POST", `/${first?.id}/resume`)).toMatchObject(full);
    // What is active already stays so.
    expect((await call("POST", `/${second?.id}/resume`)).status).toBe(200);
    expect((await call("PATCH", `/${second?.id}`, { name: "Still" })).status).toBe(200);
    await call("DELETE", `/${another.id}`);
    expect((await call("POST", `/${first?.id}/resume`)).status).toBe(200);
  });
});
