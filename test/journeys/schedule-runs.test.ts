import { beforeAll, describe, expect, it, vi } from "vitest";
import { PATIENCE } from "#test/support/connected-channels.ts";
import { fire, scheduleClient, type RunView, type ScheduleClient } from "#test/support/schedules.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call as toolCall, script } from "#test/support/task-client.ts";

const service = sharedService();
let client: ScheduleClient;
let token: string;
let projectId: string;
beforeAll(async () => {
  ({ token } = await service.signUp());
  ({ id: projectId } = await service.newProject(token));
  client = scheduleClient(service, { token, projectId });
});

const call = <T>(method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });

interface Message {
  role: string;
  content: string;
}

/** A chat of the project, as its list shows it, and its messages. */
async function chatOf({ chat_id: id }: RunView) {
  const chats = await call<{ id: string; title: string; origin: string }[]>(
    "GET",
    `/api/chat/${projectId}/sessions`,
  );
  const { body } = await call<Message[]>("GET", `/api/chat/session/${id}/messages`);
  const found = chats.body.find((each) => each.id === id);
  return { title: found?.title, origin: found?.origin, messages: body };
}

/** Runs of a task that waits for an approval, so that it is at work for as long as the test wants. */
const HELD = script(
  { tools: [toolCall("write_file", { path: "held.txt", content: "yes" })] },
  { text: "Held." },
);

/** Waits until the task of the schedule's newest run asks for an approval, and returns its id. */
const questionOf = (id: string) =>
  vi.waitFor(async () => {
    const [run] = await client.runs(id);
    const { body } = await call<{ approval_id: string; task_id: string }[]>(
      "GET",
      `/api/chat/agent/approvals?project_id=${projectId}`,
    );
    const found = body.find(({ task_id }) => task_id === run?.task_id);
    if (!found) throw new Error(`No question of ${JSON.stringify(run)}`);
    return found.approval_id;
  }, PATIENCE);

const allow = (approval_id: string) =>
  call("POST", "/api/chat/agent/approval", { approval_id, response: "allow_once" });

describe("a schedule that is due", () => {
  it("runs in a chat of its own, and shows what became of it", async () => {
    const { id, next_run_at } = await client.create(script({ text: "Watered." }), { name: "Beds" });
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
      deliveries: [{ target: "origin", status: "in_app", error: null, jid: null }],
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
    expect(await client.runs(id)).toHaveLength(1);
    expect(await client.get(id)).toMatchObject({
      is_active: true,
      runs_completed: 1,
      next_run_at,
      last_run_at: expect.any(String),
      last_status: "success",
      last_error: null,
      last_task_id: run.task_id,
    });
    const chat = await chatOf(run);
    expect(chat).toMatchObject({ title: "[scheduled] Beds", origin: "schedule" });
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(chat.messages.at(-1)?.content).toBe("Watered.");
    await call("DELETE", `/api/schedules/${id}`);
    expect((await chatOf(run)).messages).toHaveLength(2);
  });

  it("fills in the day and the time of its own zone", async () => {
    const zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];
    const prompt = `{date} {time} {weekday} {schedule_name} {other}\n${script({ text: "Noted." })}`;
    const made = await Promise.all(
      zones.map((timezone) => client.create(prompt, { name: `In ${timezone}`, timezone })),
    );
    await fire(service, ...made.map(({ id }) => id));
    for (const { id, name, timezone: timeZone } of made) {
      const run = await client.ran(id, "success");
      const [asked] = (await chatOf(run)).messages;
      const at = new Date(String(Reflect.get(run, "created_at")));
      const date = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
      const time = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(at);
      const weekday = new Intl.DateTimeFormat("en-US", { timeZone, weekday: "long" }).format(at);
      expect(asked?.content.split("\n")[0]).toBe(`${date} ${time} ${weekday} ${name} {other}`);
    }
  });

  it("says nothing where the whole answer is [SILENT], and says the rest where it is a part", async () => {
    const silent = await client.create(script({ text: " [SILENT]\n" }));
    const told = await client.create(script({ text: "[SILENT] but for this." }));
    await fire(service, silent.id, told.id);
    expect(await client.ran(silent.id, "success")).toMatchObject({ silent: true, deliveries: [] });
    expect(await client.ran(told.id, "success")).toMatchObject({
      silent: false,
      deliveries: [{ target: "origin", status: "in_app" }],
    });
  });

  it("succeeds where no channel takes its result, and says why", async () => {
    const { id } = await client.create(script({ text: "Unheard." }), {
      deliver: "origin, slack:C1, discord",
    });
    await fire(service, id);
    const { deliveries } = await client.ran(id, "success");
    expect(deliveries).toMatchObject([
      { target: "origin", status: "in_app", error: null },
      { target: "slack:C1", status: "failed", error: expect.stringMatching(/^No Slack channel/u) },
      { target: "discord", status: "failed", error: expect.stringMatching(/^No Discord channel/u) },
    ]);
    expect(await client.get(id)).toMatchObject({
      last_status: "delivery_failed",
      last_error: expect.stringMatching(/^No Slack channel/u),
    });
  });

  it("ends after as many runs as were wanted", async () => {
    const { id } = await client.create(script({ text: "One of two." }), { repeat: 2 });
    await fire(service, id);
    await client.ran(id, "success");
    expect(await client.get(id)).toMatchObject({ is_active: true, runs_completed: 1 });
    await fire(service, id);
    await vi.waitFor(async () => expect(await client.runs(id)).toHaveLength(2), PATIENCE);
    await client.ran(id, "success");
    expect(await client.get(id)).toMatchObject({ is_active: false, runs_completed: 2, next_run_at: null });
    const resumed = await call("POST", `/api/schedules/${id}/resume`);
    expect(resumed).toMatchObject({ status: 200, body: { next_run_at: expect.any(String) } });
    expect(await client.get(id)).toMatchObject({ is_active: true, runs_completed: 0 });
  });

  it("shows a failed run", async () => {
    const { id } = await client.create(script({ error: { status: 400 } }));
    await fire(service, id);
    const run = await client.ran(id, "failed");
    expect(run).toMatchObject({ error: expect.any(String), deliveries: [] });
    expect(await client.get(id)).toMatchObject({
      is_active: true,
      last_status: "failed",
      last_error: run.error,
    });
  });

  it("is paused when its project is gone", async () => {
    const { id: gone } = await service.newProject(token);
    const { id } = await client.create(script({ text: "Never." }), { project_id: gone });
    await call("DELETE", `/api/projects/${gone}`);
    await vi.waitFor(async () => expect((await client.get(id)).project_id).toBeNull(), PATIENCE);
    await fire(service, id);
    expect(await client.ran(id, "failed")).toMatchObject({ error: "Project not found", task_id: null });
    expect(await client.get(id)).toMatchObject({
      is_active: false,
      paused: true,
      paused_reason: "Project not found",
      last_status: "failed",
    });
    expect((await call("POST", `/api/schedules/${id}/trigger`)).status).toBe(404);
  });
});

describe("a run by hand", () => {
  it.each(["trigger", "run"])(
    "is begun by /%s, also of a paused schedule, and counts for nothing",
    async (name) => {
      const { id, next_run_at } = await client.create(script({ text: "By hand." }), {
        name: "Hands",
        repeat: 1,
      });
      await call("POST", `/api/schedules/${id}/pause`);
      const begun = await call<{ task_id: string }>("POST", `/api/schedules/${id}/${name}`);
      expect(begun).toMatchObject({
        status: 200,
        body: { status: "triggered", task_id: expect.any(String) },
      });
      const run = await client.ran(id, "success");
      expect(run).toMatchObject({ trigger: "manual", scheduled_for: null, task_id: begun.body.task_id });
      expect((await chatOf(run)).title).toBe("[manual] Hands");
      expect(await client.get(id)).toMatchObject({
        is_active: false,
        runs_completed: 0,
        next_run_at,
        last_status: "success",
        last_task_id: begun.body.task_id,
        last_run_at: expect.any(String),
      });
    },
  );
});

/** A schedule whose first run is at work. */
async function held(overlap: string) {
  const { id } = await client.create(HELD, { overlap, edit_mode: "ask" });
  await fire(service, id);
  return { id, question: await questionOf(id) };
}

/** Waits until the runs have these statuses, the newest first. */
const statusesOf = (id: string, ...expected: string[]) =>
  vi.waitUntil(async () => {
    const found = (await client.runs(id)).map(({ status }) => status);
    return found.join() === expected.join() && found;
  }, PATIENCE);

describe("a moment that comes while the previous run is at work", () => {
  it("is skipped, which the history shows", async () => {
    const { id, question } = await held("skip");
    await fire(service, id);
    await statusesOf(id, "skipped", "running");
    const [skipped] = await client.runs(id);
    expect(skipped).toMatchObject({ error: "The previous run was still at work", task_id: null });
    expect(await client.get(id)).toMatchObject({ runs_completed: 1, last_status: "skipped" });
    await allow(question);
    await statusesOf(id, "skipped", "success");
    expect(await client.get(id)).toMatchObject({ last_status: "success" });
  });

  it("waits for its turn where it is to", async () => {
    const { id, question } = await held("queue");
    await fire(service, id);
    await statusesOf(id, "waiting", "running");
    await allow(question);
    await statusesOf(id, "running", "success");
    await allow(await questionOf(id));
    await statusesOf(id, "success", "success");
    expect((await client.get(id)).runs_completed).toBe(2);
  });

  it("runs beside it where it may", async () => {
    const { id, question } = await held("allow");
    await fire(service, id);
    await statusesOf(id, "running", "running");
    await allow(await questionOf(id));
    await statusesOf(id, "success", "running");
    await allow(question);
    expect(await statusesOf(id, "success", "success")).toHaveLength(2);
  });
});
