import { expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();
const owner = await service.signUp("owner");
const project = (await service.newProject(owner.token)).id;

const connect = (token = owner.token, of = project) =>
  openSocket(service.url, `/ws/chat/${of}?${new URLSearchParams({ token })}`);

const change = (method: string, path: string, json?: unknown, headers = {}, of = project) =>
  service.call(method, `/api/projects/${of}${path}`, { token: owner.token, json, headers });

/** The paths of all notices so far; "anything" for one without. */
const noticed = ({ frames }: TestSocket): unknown[] =>
  frames.flatMap(({ type, paths }) => (type === "files_changed" ? (paths ?? "anything") : []));

/** All notices so far, once this is among them. */
const untilNoticed = (socket: TestSocket, wanted: string) =>
  vi.waitFor(() => {
    const all = noticed(socket);
    if (!all.includes(wanted)) throw new Error(`No ${wanted}, but ${JSON.stringify(all)}`);
    return all;
  });

it("a chat's socket names the files that were changed over HTTP, and only after they were", async () => {
  const socket = await connect();
  await change("PUT", "/files/kept.txt", { content: "1" });
  expect((await change("PUT", "/files/kept.txt", { content: "2" }, { "if-match": '"other"' })).status).toBe(
    412,
  );
  await change("PUT", "/files/a.txt", { content: "a" });
  await change("POST", "/files/rename", { old_path: "a.txt", new_path: "b.txt" });
  await change("POST", "/files/mkdir", { dir_path: "docs" });
  await change("DELETE", "/files/b.txt");
  for (const path of ["kept.txt", "a.txt", "b.txt", "docs"]) await untilNoticed(socket, path);
  // Reads are not announced.
  await change("GET", "/files/tree");
  await change("GET", "/files/content?path=kept.txt");
  await change("PUT", "/files/last.txt", { content: "" });
  expect(await untilNoticed(socket, "last.txt")).toContain("last.txt");
  expect(noticed(socket)).not.toContain("anything");
  const frame = socket.frames.find(({ type }) => type === "files_changed");
  expect(frame).toEqual({ type: "files_changed", paths: expect.arrayContaining(["kept.txt"]) });
  socket.close();
});

it("says that anything may have changed after commands, git, and a restore", async () => {
  // A project of its own: a late notice of these acts would swallow the paths of what changes within the same second.
  const { id } = await service.newProject(owner.token);
  const worker = await newTaskClient(service, { account: owner, projectId: id });
  const act = (path: string, json?: unknown) => change("POST", path, json, {}, id);
  const taken = await act("/snapshots", { label: "before" });
  const { hash } = fieldsOf(taken.body);
  const acts = [
    () => worker.start(script({ tools: [call("bash_exec", { command: "echo hello > made.txt" })] })),
    () => act("/git/init", {}),
    () => act(`/snapshots/${String(hash)}/restore`),
  ];
  for (const begin of acts) {
    const socket = await connect(owner.token, id);
    await begin();
    expect(await untilNoticed(socket, "anything")).toContain("anything");
    socket.close();
  }
});

it("is for those who may read the files of this project alone", async () => {
  const keyWith = async (scopes: string[]) => {
    const json = { name: "narrow", project_id: project, scopes };
    const made = await service.call<{ key: string }>("POST", "/api/external-api-keys", {
      token: owner.token,
      json,
    });
    return made.body.key;
  };
  const elsewhere = await service.newProject(owner.token);
  const blind = await connect(await keyWith(["chat.view"]));
  const reader = await connect(await keyWith(["chat.view", "file.read"]));
  const other = await connect(owner.token, elsewhere.id);
  await change("PUT", "/files/secret-name.txt", { content: "" });
  expect(await untilNoticed(reader, "secret-name.txt")).toContain("secret-name.txt");
  for (const socket of [blind, other]) {
    socket.send({ type: "ping" });
    await socket.next("pong");
    expect(noticed(socket)).toEqual([]);
  }
  for (const socket of [blind, reader, other]) socket.close();
});
