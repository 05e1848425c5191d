import type { api } from "@agent-workspace/client";
import { describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call as toolCall, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const account = await service.signUp();
const { token } = account;

/** A project with the requests that tests make of it. */
async function open() {
  const { id } = await service.newProject(token);
  const path = `/api/projects/${id}`;
  const call = <T = unknown>(method: string, rest: string, json?: unknown) =>
    service.call<T>(method, path + rest, { token, json });
  const status = async () => (await call<api.GetProjectStatusAnswer>("GET", "/status")).body;
  return {
    id,
    call,
    status,
    write: async (file: string, content: string) => (await call("PUT", `/files/${file}`, { content })).status,
    read: async (file: string) => (await call<{ content: string }>("GET", `/files/${file}`)).body.content,
    until: (state: string) =>
      vi.waitFor(async () => expect(await status()).toMatchObject({ state, progress: null }), {
        interval: 50,
      }),
  };
}

describe("a project", () => {
  it("starts, stops into a snapshot, and starts again with its files byte for byte", async () => {
    const { call, status, write, read, until } = await open();
    const contents = { "src/ä b.txt": "grüße\n", empty: "", "deep/er/file": "\u0001\u{1f600}" };
    for (const [path, content] of Object.entries(contents)) expect(await write(path, content)).toBe(200);

    expect(await call("POST", "/start")).toMatchObject({ status: 200, body: { status: "starting" } });
    await until("running");
    expect(await status()).toMatchObject({ state: "running", environment_status: "active", error: null });
    expect(await call("POST", "/start")).toMatchObject({ status: 200, body: { status: "running" } });

    expect(await call("POST", "/stop")).toMatchObject({ status: 200, body: { status: "stopping" } });
    await until("hibernated");
    expect(await call("GET", "")).toMatchObject({
      body: { status: "hibernated", compute_tier: "none", hibernated_at: expect.stringMatching(/Z$/u) },
    });
    expect(await call("POST", "/stop")).toMatchObject({ status: 200, body: { status: "hibernated" } });
    expect(await call("POST", "/hibernate")).toMatchObject({ status: 400 });

    expect(await call("POST", "/start")).toMatchObject({ status: 200, body: { status: "starting" } });
    await until("running");
    for (const [path, content] of Object.entries(contents)) expect(await read(path)).toBe(content);
    expect(await call("GET", "")).toMatchObject({ body: { status: "running", hibernated_at: null } });
    expect((await call("POST", "/containers/stop-all")).status).toBe(200);
    await until("stopped");
    for (const [path, content] of Object.entries(contents)) expect(await read(path)).toBe(content);
  });

  it("that is hibernated wakes for an agent", async () => {
    const { id, call, status, write, until } = await open();
    await write("notes.txt", "remember");
    await call("POST", "/stop");
    await until("hibernated");
    const agent = await newTaskClient(service, { account, projectId: id });
    const tools = [toolCall("read_file", { path: "notes.txt" })];
    const { task_id: taskId } = await agent.start(script({ tools }, { text: "Done" }));
    expect(JSON.stringify(await agent.end(taskId))).toContain("remember");
    expect(await status()).toMatchObject({ state: "stopped" });
  });

  it("that is deleted while it stops is gone", async () => {
    const { id, call, write } = await open();
    await write("a", "a");
    await call("POST", "/stop");
    const deleted = await call<{ task_id: string }>("DELETE", "");
    expect(deleted).toMatchObject({ status: 200, body: { project_id: id } });
    expect((await call("GET", "/status")).status).toBe(404);
    const task = await service.call("GET", `/api/tasks/${deleted.body.task_id}/status`, { token });
    expect(task).toMatchObject({
      status: 200,
      body: { type: "project_deletion", status: "completed", metadata: { project_id: id } },
    });
  });
});

describe("a project whose first files cannot be fetched", () => {
  it("says why, and tries again when it is started", async () => {
    const json = {
      name: "app",
      source_type: "github",
      git_repo_url: "http://127.0.0.1:9/nobody/nothing.git",
    };
    const made = await service.call<api.CreatedProject>("POST", "/api/projects", { token, json });
    expect(made).toMatchObject({
      status: 200,
      body: { status: "initializing", task_id: expect.any(String) },
    });
    const { id, status_endpoint } = made.body;
    await vi.waitFor(
      async () => {
        const { body } = await service.call<api.GetProjectStatusAnswer>("GET", `/api/projects/${id}/status`, {
          token,
        });
        expect(body).toMatchObject({ state: "failed", environment_status: "setup_failed" });
        expect(body.error).toMatch(/^The project could not be set up: /u);
      },
      { interval: 100 },
    );
    const task = await service.call("GET", String(status_endpoint), { token });
    expect(task).toMatchObject({ body: { status: "failed", error: expect.stringMatching(/set up/u) } });
    const read = await service.call("GET", `/api/projects/${id}/files/tree`, { token });
    expect(read).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/Start it/u) } });
    expect((await service.call("POST", `/api/projects/${id}/stop`, { token })).status).toBe(409);
    expect((await service.call("POST", `/api/projects/${id}/start`, { token })).status).toBe(200);
  });

  it("is refused without an address, with one of another kind, or with one that it has no use for", async () => {
    for (const source of [
      { source_type: "github" },
      { source_type: "github", git_repo_url: "https://me:secret@example.com/a/b" },
      { source_type: "empty", git_repo_url: "https://example.com/a/b" },
    ]) {
      const answer = await service.call("POST", "/api/projects", { token, json: { name: "app", ...source } });
      expect([source, answer]).toMatchObject([source, { status: 400, body: { detail: expect.any(String) } }]);
    }
  });
});
