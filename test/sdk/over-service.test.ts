import { describe, expect, it } from "vitest";
import { NotFoundError, Workspace, type TaskEvent } from "@agent-workspace/client";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const MESSAGE = script(
  { text: "One", tools: [call("write_file", { file_path: "a.txt", content: "a" })] },
  { text: "Größe: 漢字 🙂" },
);

const client = await newTaskClient(service);

const newWorkspace = () => new Workspace({ baseUrl: service.url, apiKey: client.key });

describe("a program over the service", () => {
  it("reads the steps of a task and its events after one, and gets a cancelled task as a value", async () => {
    const workspace = newWorkspace();
    const task = await workspace.tasks.invoke({ project_id: client.projectId, message: MESSAGE });
    expect(await task.result()).toMatchObject({ status: "completed", response: "Größe: 漢字 🙂" });
    expect((await task.steps()).items).toHaveLength(2);
    const ids = (await Array.fromAsync(task.events())).map(({ id }) => id);
    const [last = 0] = ids.slice(-1);
    expect((await Array.fromAsync(task.events({ after: last - 2 }))).map(({ id }) => id)).toEqual([
      last - 1,
      last,
    ]);
    expect(await Array.fromAsync(task.events({ after: last }))).toEqual([]);
    const message = script({ tools: [call("bash_exec", { command: "sleep 60" })] }, { text: "Late" });
    const long = await workspace.tasks.invoke({ project_id: client.projectId, message });
    const result = long.result();
    expect(await long.cancel()).toMatchObject({ cancel_requested: true });
    expect(await result).toMatchObject({ status: "cancelled" });
    expect(await long.cancel()).toMatchObject({ cancel_requested: false });
  });

  it("works on files with all kinds of names", async () => {
    const { files } = newWorkspace();
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
});

it("what the service would refuse does not compile", () => {
  const workspace = newWorkspace();
  const refused = [
    // @ts-expect-error -- the path has a parameter
    () => workspace.request("GET", "/api/projects/{project}"),
    // @ts-expect-error -- a project has a name
    () => workspace.request("POST", "/api/projects", { body: { source_type: "empty" } }),
    // @ts-expect-error -- there is no such field
    () => workspace.tasks.invoke({ project_id: "p", message: "m", mesage: "m" }),
    // @ts-expect-error -- the route does not honour a key
    () => workspace.request("POST", "/api/teams", { body: { name: "Compilers" }, idempotencyKey: "k" }),
    // @ts-expect-error -- only texts have content
    (event: TaskEvent) => event.type !== "text_delta" && event.content.toUpperCase(),
  ];
  expect(refused).toHaveLength(5);
});
