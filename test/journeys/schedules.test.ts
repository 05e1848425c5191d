import { beforeAll, describe, expect, it } from "vitest";
import {
  fire,
  scheduleClient,
  YEARLY,
  type ScheduleClient,
  type ScheduleView,
} from "#test/support/schedules.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";

const MISSING = { status: 404, body: { detail: "Schedule not found" } };
const PROMPT = script({ text: "Watered." });

const service = sharedService();

interface Owner extends ScheduleClient {
  token: string;
  projectId: string;
}

/** A new person with a project and no schedules. */
async function newOwner(): Promise<Owner> {
  const { token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  return { token, projectId, ...scheduleClient(service, { token, projectId }) };
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
        is_active: true,
        next_run_at: expect.stringMatching(/T09:00:00\.000Z$/u),
      },
    });
    expect(await get(made.body.id)).toEqual(made.body);
  });

  it("is made with the other names of its fields, with all that can be said, and changed; what is null stays", async () => {
    const { call, projectId } = await newOwner();
    const said = {
      project_id: projectId,
      name: "Once",
      cron_expression: "2999-02-03T04:05",
      prompt: PROMPT,
      deliver: "origin, telegram:5,telegram:5, Slack",
      timezone: "Europe/London",
      edit_mode: "plan",
      catch_up: "skip",
      overlap: "queue",
      repeat: 7,
    };
    const { body: made } = await call("POST", "", said);
    expect(made).toMatchObject({ ...said, prompt_template: PROMPT, next_run_at: "2999-02-03T04:05:00.000Z" });
    const nothing = { name: null, schedule: null, prompt_template: null, agent_id: null, timezone: null };
    const same = await call("PATCH", `/${made.id}`, { ...nothing, deliver: null, repeat: null });
    expect(same.body).toEqual({ ...made, updated_at: expect.any(String) });
    const change = { name: "Beds", prompt: "Weed", deliver: "none", edit_mode: "ask", overlap: "allow" };
    const changed = await call("PATCH", `/${made.id}`, {
      ...change,
      agent_id: "",
      repeat: 0,
      cron_expression: "every 45 min",
    });
    expect(changed.body).toMatchObject({
      ...change,
      repeat: null,
      normalized_cron: "*/45 * * * *",
      description: "every 45 minutes",
    });
  });

  it("is listed in pages, by project and by whether it is active; paused, resumed and deleted", async () => {
    const owner = await newOwner();
    const { call, token, get } = owner;
    const { id: elsewhere } = await service.newProject(token);
    const first = await owner.create(PROMPT);
    const second = await owner.create(PROMPT, { project_id: elsewhere });
    const { id, next_run_at } = first;
    const paused = await call("POST", `/${id}/pause`);
    expect(paused).toMatchObject({ status: 200, body: { status: "paused", id } });
    expect(await get(id)).toMatchObject({ is_active: false, paused: true, paused_reason: null, next_run_at });
    const listed = async (query: string) => idsOf((await call<ScheduleView[]>("GET", query)).body);
    expect(await listed("")).toEqual([second.id, id]);
    expect(await listed(`?project_id=${elsewhere}`)).toEqual([second.id]);
    expect(await listed("?is_active=false")).toEqual([id]);
    expect(await listed("?limit=1&offset=1")).toEqual([id]);
    const resumed = await call("POST", `/${id}/resume`);
    expect(resumed).toMatchObject({ status: 200, body: { status: "resumed", id, next_run_at } });
    expect(await call("DELETE", `/${id}`)).toMatchObject({ status: 200, body: { status: "deleted", id } });
    expect(await call("DELETE", `/${id}`)).toMatchObject(MISSING);
    expect(await call("GET", `/${id}`)).toMatchObject(MISSING);
  });

  it("is previewed without being stored", async () => {
    const { call } = await newOwner();
    const wish = { schedule: "weekdays at 9am", timezone: "Europe/London" };
    const seen = await call<{ next_runs: string[] }>("POST", "/preview", wish);
    expect(seen).toMatchObject({
      status: 200,
      body: {
        description: "at 09:00, Monday to Friday, Europe/London",
        normalized_cron: "0 9 * * 1-5",
        timezone: "Europe/London",
      },
    });
    expect(seen.body.next_runs).toHaveLength(5);
    expect((await call("GET", "")).body).toEqual([]);
  });
});

/** What a request is refused with; the text of a schedule is in the sentence as it was written. */
const REFUSED: [what: string, fields: object, detail: RegExp][] = [
  ["words that mean nothing", { schedule: "Now and then" }, /^Cannot parse schedule: 'Now and then'\. Use/u],
  ["an unknown target", { deliver: "pigeon:7" }, /^deliver: there is no target "pigeon:7"/u],
  ["none beside another target", { deliver: "none, origin" }, /^deliver: there is no target "none"/u],
];

describe("a schedule is refused", () => {
  let owner: Owner;
  let made: ScheduleView;
  let wish: object;
  beforeAll(async () => {
    owner = await newOwner();
    made = await owner.create(PROMPT);
    wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT };
  });

  it.each(REFUSED)("with a sentence: %s", async (_, fields, detail) => {
    const refused = { status: 400, body: { detail: expect.stringMatching(detail) } };
    expect(await owner.call("POST", "", { ...wish, ...fields })).toMatchObject(refused);
    expect(await owner.call("PATCH", `/${made.id}`, fields)).toMatchObject(refused);
    // A preview has no targets.
    const seen = await owner.call("POST", "/preview", { schedule: YEARLY, ...fields });
    expect(seen).toMatchObject("deliver" in fields ? { status: 200 } : refused);
    expect((await owner.call<ScheduleView[]>("GET", "")).body).toEqual([made]);
  });

  it("as malformed: a mode that there is not", async () => {
    expect(await owner.call("POST", "", { ...wish, edit_mode: "reckless" })).toMatchObject({ status: 422 });
  });
});

it("a run of a schedule that is due has a chat of its own, which stays, and the schedule shows what became of it", async () => {
  const client = await newOwner();
  const { token, projectId } = client;
  const { id, next_run_at } = await client.create(PROMPT, { name: "Beds", deliver: "origin, slack:C1" });
  await fire(service, id);
  const run = await client.ran(id, "success");
  expect(run).toMatchObject({
    schedule_id: id,
    trigger: "schedule",
    scheduled_for: expect.any(String),
    late: false,
    missed: 0,
    error: null,
    silent: false,
    deliveries: [
      { target: "origin", status: "in_app", error: null, jid: null },
      { target: "slack:C1", status: "failed", error: expect.stringMatching(/^No Slack channel/u) },
    ],
    started_at: expect.any(String),
    finished_at: expect.any(String),
  });
  expect(await client.runs(id)).toHaveLength(1);
  expect(await client.get(id)).toMatchObject({
    is_active: true,
    runs_completed: 1,
    next_run_at,
    last_run_at: expect.any(String),
    last_status: "delivery_failed",
    last_error: expect.stringMatching(/^No Slack channel/u),
    last_task_id: run.task_id,
  });
  await client.call("DELETE", `/${id}`);
  const sessions = await service.call("GET", `/api/chat/${projectId}/sessions`, { token });
  expect(sessions.body).toMatchObject([{ id: run.chat_id, title: "[scheduled] Beds", origin: "schedule" }]);
  const path = `/api/chat/session/${run.chat_id}/messages`;
  const messages = await service.call("GET", path, { token });
  expect(messages.body).toMatchObject([{ role: "user" }, { role: "assistant", content: "Watered." }]);
});
