import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NotFoundError, UnauthorizedError, Workspace } from "@agent-workspace/client";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { startFaultProxy, type FaultProxy } from "#test/support/fault-proxy.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
/** A task with some twenty events. */
const MESSAGE = script(
  { text: "One", tools: [call("write_file", { file_path: "a.txt", content: "a" })] },
  { text: "Two", tools: [call("read_file", { file_path: "a.txt" })] },
  { text: "Größe: 漢字 🙂" },
);

let client: TaskClient;
let proxy: FaultProxy;

beforeAll(async () => {
  client = await newTaskClient(service);
  proxy = await startFaultProxy();
});

afterAll(() => proxy.close());

const workspaceAt = (baseUrl: string, apiKey = client.key) => new Workspace({ baseUrl, apiKey });

/** What the service's catcher of callbacks received at an address, once it is there. */
async function callbackTo(
  url: string,
): Promise<{ body: string; headers: Record<string, string> } | undefined> {
  const received: { body: string; headers: Record<string, string> }[] = await (await fetch(url)).json();
  return received[0];
}

describe("a program over the service", () => {
  it("starts a task, follows it and gets its result", async () => {
    const workspace = workspaceAt(service.url);
    const task = await workspace.tasks.invoke({ project_id: client.projectId, message: MESSAGE });
    const types: string[] = [];
    let last = 0;
    for await (const { id, type } of task.events()) {
      expect(id).toBe(last + 1);
      last = id;
      types.push(type);
    }
    expect([types[0], types.at(-1)]).toEqual(["task_started", "done"]);
    expect(await task.result()).toMatchObject({ status: "completed", response: "Größe: 漢字 🙂" });
    expect((await task.steps()).items).toHaveLength(3);
    const after = await Array.fromAsync(task.events({ after: last - 2 }));
    expect(after.map(({ id }) => id)).toEqual([last - 1, last]);
    expect(await Array.fromAsync(task.events({ after: last }))).toEqual([]);
    expect(await workspace.files.readText(client.projectId, "a.txt")).toBe("a");
  });

  it("has each event once where every connection is cut, from a task that was started once", async () => {
    const url = proxy.before(service.url);
    proxy.fail("lose", /\/agent\/invoke\n/u, 1);
    const workspace = workspaceAt(url);
    const message = `${MESSAGE}\n${crypto.randomUUID()}`;
    const task = await workspace.tasks.invoke({ project_id: client.projectId, message });
    proxy.fail("cut", /\/agent\/events\//u);
    const ids: number[] = [];
    let end: string | undefined;
    for await (const { id, type } of task.events({ maxReconnects: 100 })) {
      ids.push(id);
      end = type;
    }
    proxy.heal();
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(end).toBe("done");
    const project_id = client.projectId;
    const all = await Array.fromAsync(workspace.tasks.all({ project_id }));
    expect(all.filter(({ task_id }) => task_id === task.id)).toHaveLength(1);
    const { total } = await workspace.tasks.list({ project_id });
    expect(total).toBe(2);
  });

  it("gets a cancelled task as a value", async () => {
    const workspace = workspaceAt(service.url);
    const message = script({ tools: [call("bash_exec", { command: "sleep 60" })] }, { text: "Late" });
    const task = await workspace.tasks.invoke({ project_id: client.projectId, message });
    const result = task.result();
    expect(await task.cancel()).toMatchObject({ cancel_requested: true });
    expect(await result).toMatchObject({ status: "cancelled" });
    expect(await task.cancel()).toMatchObject({ cancel_requested: false });
  });

  it("is told what is not there, and who it is not", async () => {
    const unknown = crypto.randomUUID();
    const { tasks } = workspaceAt(service.url);
    await expect(tasks.get(unknown).status()).rejects.toBeInstanceOf(NotFoundError);
    await expect(Array.fromAsync(tasks.get(unknown).events())).rejects.toBeInstanceOf(NotFoundError);
    const stranger = workspaceAt(service.url, `tsk_${"0".repeat(32)}`);
    await expect(stranger.tasks.list()).rejects.toBeInstanceOf(UnauthorizedError);
  });

  it("works on files with all kinds of names", async () => {
    const { files } = workspaceAt(service.url);
    const project = client.projectId;
    const bytes = new Uint8Array([0, 255, 10]);
    for (const name of ["tree", "a b/ü%2F&?#.bin", "content"]) {
      await files.write(project, name, bytes);
      expect(await files.read(project, name)).toEqual(bytes);
    }
    await files.write(project, "stream.txt", new Blob(["streamed"]).stream());
    await files.rename(project, "stream.txt", "moved/stream.txt");
    expect(await files.readText(project, "moved/stream.txt")).toBe("streamed");
    await files.mkdir(project, "empty");
    await files.delete(project, "moved", { recursive: true });
    const paths = (await files.list(project)).files.map(({ path }) => path);
    expect(paths).toContain("empty");
    expect(paths).not.toContain("moved");
    await expect(files.read(project, "moved/stream.txt")).rejects.toBeInstanceOf(NotFoundError);
  });

  it("iterates over all pages of a list, as a person", async () => {
    const { token } = client.account;
    const person = new Workspace({ baseUrl: service.url, accessToken: () => token });
    const made = await Promise.all(
      ["one", "two"].map((name) => person.projects.create({ name, source_type: "empty" })),
    );
    const all = await Array.fromAsync(person.projects.all());
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    expect((await person.account.get()).id).toBe(client.account.id);
    const archive = await person.response("GET", "/api/projects/{project}/export", {
      path: { project: client.projectId },
    });
    expect(archive.headers.get("content-type")).toBe("application/gzip");
    await archive.body?.cancel();
  });

  it("verifies the callback of its task", async () => {
    const path = `/${crypto.randomUUID()}`;
    const webhook_url = `${service.stack.callbacksUrl}${path}`;
    const { tasks } = workspaceAt(service.url);
    const task = await tasks.invoke({ project_id: client.projectId, message: "Hello", webhook_url });
    const { body, headers } = await vi.waitUntil(() => callbackTo(webhook_url));
    expect(await verifyCallback(body, headers, client.webhookSecret)).toMatchObject({
      task_id: task.id,
      status: "completed",
    });
  });
});
