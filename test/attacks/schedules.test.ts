import { describe, expect, it, vi } from "vitest";
import { PATIENCE } from "#test/support/connected-channels.ts";
import { fire, scheduleClient, YEARLY } from "#test/support/schedules.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const PROMPT = script({ text: "Ours." });
const MISSING = { status: 404, body: { detail: "Schedule not found" } };

async function newOwner() {
  const { token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  return { token, projectId, ...scheduleClient(service, { token, projectId }) };
}

describe("another person", () => {
  it("neither reads, changes, runs nor deletes a schedule, and nor does a key of its owner", async () => {
    const [owner, stranger] = [await newOwner(), await newOwner()];
    const made = await owner.create(PROMPT);
    const { key } = await service.newKey(owner.token);
    const byKey = scheduleClient(service, { token: key, projectId: owner.projectId });
    const requests: [string, string, unknown?][] = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["POST", "/pause"],
      ["POST", "/resume"],
      ["POST", "/trigger"],
      ["POST", "/run"],
      ["GET", "/runs"],
      ["DELETE", ""],
    ];
    for (const [method, path, json] of requests) {
      expect(await stranger.call(method, `/${made.id}${path}`, json)).toMatchObject(MISSING);
      expect(await owner.call(method, `/${crypto.randomUUID()}${path}`, json)).toMatchObject(MISSING);
      expect(await owner.call(method, `/none${path}`, json)).toMatchObject(MISSING);
      expect((await byKey.call(method, `/${made.id}${path}`, json)).status).toBe(401);
    }
    const wish = { project_id: owner.projectId, name: "No", schedule: YEARLY, prompt: PROMPT };
    for (const [method, path, json] of [
      ["GET", ""],
      ["POST", "", wish],
      ["POST", "/preview", { schedule: YEARLY }],
    ] as const) {
      expect((await byKey.call(method, path, json)).status).toBe(401);
    }
    expect((await stranger.call("GET", `?project_id=${owner.projectId}`)).body).toEqual([]);
    expect((await stranger.call("POST", "", wish)).status).toBe(404);
    expect(await owner.get(made.id)).toEqual(made);
    expect(await owner.runs(made.id)).toEqual([]);
  });

  it("with access to the project has schedules of their own there, if they may change it", async () => {
    const { owner, join } = await newTeamClient(service);
    const { id: projectId } = await service.newProject(owner.token);
    const [viewer, editor] = [await join("viewer"), await join("editor")];
    const as = ({ token }: { token: string }) => scheduleClient(service, { token, projectId });
    const made = await as(owner).create(PROMPT);
    const wish = { project_id: projectId, name: "Mine", schedule: YEARLY, prompt: PROMPT };
    expect((await as(viewer).call("POST", "", wish)).status).toBe(403);
    const own = await as(editor).create(PROMPT);
    expect((await as(editor).call("GET", `?project_id=${projectId}`)).body).toEqual([own]);
    expect(await as(editor).call("GET", `/${made.id}`)).toMatchObject(MISSING);
  });
});

describe("a person who has lost the access to a project", () => {
  it("has no run there any more: the schedule is paused", async () => {
    const { owner, asOwner, join } = await newTeamClient(service);
    const { id: projectId } = await service.newProject(owner.token);
    const editor = await join("editor");
    const client = scheduleClient(service, { token: editor.token, projectId });
    const { id } = await client.create(PROMPT);
    const left = await asOwner("DELETE", `/members/${editor.id}`);
    expect(left.status).toBeLessThan(300);
    await fire(service, id);
    expect(await client.ran(id, "failed")).toMatchObject({ task_id: null, chat_id: null });
    expect(await client.get(id)).toMatchObject({ is_active: false, paused_reason: expect.any(String) });
    expect((await client.call("POST", `/${id}/trigger`)).status).toBeGreaterThanOrEqual(403);
    const chats = await service.call("GET", `/api/chat/${projectId}/sessions`, { token: owner.token });
    expect(chats.body).toEqual([]);
  });
});

describe("a call of the queue's functions", () => {
  it.each([
    ["tick-schedules", () => ({ extra: true })],
    ["start-run", (runId: string) => ({ runId })],
    ["finish-run", (_: string, taskId: string) => ({ taskId })],
  ])("that is not signed is refused: %s", async (name, payloadOf) => {
    const owner = await newOwner();
    const { id } = await owner.create(PROMPT);
    await fire(service, id);
    const { id: runId, task_id } = await owner.ran(id, "success");
    const json = payloadOf(runId, task_id ?? "");
    for (const headers of [{}, { "upstash-signature": "none" }, { authorization: `Bearer ${owner.token}` }]) {
      expect(await service.call("POST", `/functions/${name}`, { json, headers })).toMatchObject({
        status: 401,
        body: { detail: "Invalid queue signature" },
      });
    }
    await vi.waitFor(async () => expect(await owner.runs(id)).toHaveLength(1), PATIENCE);
  });
});
