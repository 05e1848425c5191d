import type { api } from "@agent-workspace/client";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient } from "#test/support/task-client.ts";

const service = sharedService();
const directory = mkdtempSync(join(tmpdir(), "workspace-snapshots-"));
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
});

async function ok<T>(method: string, path: string, token: string, json?: unknown): Promise<T> {
  const answer = await service.call<T>(method, path, { token, json });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const write = (token: string, project: string, path: string, content: string) =>
  ok("PUT", `/api/projects/${project}/files/${path}`, token, { content });
const read = async (token: string, project: string, path: string) =>
  (await service.call<{ content?: string }>("GET", `/api/projects/${project}/files/${path}`, { token })).body
    .content;
const snap = (token: string, project: string, label = "") =>
  ok<api.CreateSnapshotAnswer>("POST", `/api/projects/${project}/snapshots/`, token, { label });
const list = async (token: string, project: string) =>
  (await ok<api.ListSnapshotsAnswer>("GET", `/api/projects/${project}/snapshots/`, token)).snapshots;

/** The bytes of an export. */
async function download(token: string, project: string, format: string): Promise<Uint8Array> {
  const response = await fetch(`${service.url}/api/projects/${project}/export?format=${format}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="[a-z0-9-]+\.[a-z.]+"$/u,
  );
  return new Uint8Array(await response.arrayBuffer());
}

/** A project made from something, once it is there. A busy machine may answer 503 on the way. */
async function whenSetUp<T extends { id: string }>(token: string, project: T): Promise<T> {
  await vi.waitUntil(
    async () => {
      const { status: answered, body } = await service.call<{ status: string; error?: string }>(
        "GET",
        `/api/projects/${project.id}`,
        { token },
      );
      if (answered !== 200 && answered !== 503) throw new Error(`GET of a new project: ${answered}`);
      if (body.status === "failed") throw new Error(`The project was not set up: ${body.error}`);
      return body.status === "stopped";
    },
    { interval: 100 },
  );
  return project;
}

const shown = (command: string, ...args: string[]) => execFileSync(command, args).toString();

describe("a snapshot", () => {
  it("is listed with what it was made for, and what was there before a restore is one, too", async () => {
    const { token } = await service.signUp();
    const { id } = await service.newProject(token);
    await write(token, id, "a.txt", "one");
    const first = await snap(token, id, "first");
    await write(token, id, "a.txt", "two");
    await ok("POST", `/api/projects/${id}/snapshots/${first.hash}/restore`, token);
    expect(await read(token, id, "a.txt")).toBe("one");
    const [before, made] = await list(token, id);
    expect(made).toMatchObject({ hash: first.hash, role: "checkpoint", label: "first", file_count: 1 });
    expect(before).toMatchObject({ role: "restore" });
    await ok("POST", `/api/projects/${id}/volume/recover`, token, { target_hash: before?.hash });
    expect(await read(token, id, "a.txt")).toBe("two");
    const graph = await ok("GET", `/api/projects/${id}/snapshots/graph`, token);
    expect(graph).toMatchObject({ branches: [{ name: "main", checkpoint_count: 3 }] });
  });

  it("is taken before a run of the agent changes files, and not for a run that changes none", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id } = await service.newProject(token);
    await write(token, id, "notes/a.txt", "before");
    const client = await newTaskClient(service, { account, projectId: id });
    const run = async (message: string) => {
      const { task_id } = await client.start(message);
      await client.end(task_id);
      return task_id;
    };
    await run("Say hello");
    expect(await list(token, id)).toEqual([]);
    const taskId = await run("Write hello to notes/a.txt");
    const snapshots = await list(token, id);
    expect(snapshots).toMatchObject([
      { role: "agent", label: "agent: Write hello to notes/a.txt", task_id: taskId, file_count: 1 },
    ]);
    expect(await read(token, id, "notes/a.txt")).not.toBe("before");
    await ok("POST", `/api/projects/${id}/snapshots/${snapshots[0]?.hash}/restore`, token);
    expect(await read(token, id, "notes/a.txt")).toBe("before");
  });

  it("is named after the beginning of a long message, which ends with a whole word", async () => {
    const { token, ...account } = await service.signUp();
    const { id } = await service.newProject(token);
    const client = await newTaskClient(service, { account: { ...account, token }, projectId: id });
    const begin = "Write hello to notes/a.txt, then tell me what you did and why you did it like";
    const { task_id } = await client.start(`${begin} that, in one sentence`);
    await client.end(task_id);
    expect(await list(token, id)).toMatchObject([{ role: "agent", label: `agent: ${begin}…` }]);
  });
});

it("an export can be read by the tools of the trade, in each format", async () => {
  const { token } = await service.signUp();
  const { id } = await service.newProject(token);
  await write(token, id, "src/ünï 🙂.txt", "text");
  await write(token, id, "empty", "");
  await write(token, id, "large.bin", "abc".repeat(100_000));
  const save = async (format: string) => {
    const path = join(directory, `export.${format}`);
    writeFileSync(path, await download(token, id, format));
    return path;
  };
  for (const format of ["tar", "tar.gz"]) {
    const path = await save(format);
    expect(shown("tar", "-xOf", path, "src/ünï 🙂.txt")).toBe("text");
    expect(shown("tar", "-tf", path, "--quoting-style=literal").trim().split("\n").toSorted()).toEqual(
      ["empty", "large.bin", "src/", "src/ünï 🙂.txt"].toSorted(),
    );
  }
  const zip = await save("zip");
  const script =
    "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; " +
    "print(sorted(z.namelist())); print(z.read('large.bin') == b'abc' * 100000, oct(z.getinfo('empty').external_attr >> 16))";
  expect(shown("python3", "-c", script, zip)).toBe(
    "['empty', 'large.bin', 'src/', 'src/ünï 🙂.txt']\nTrue 0o100644\n",
  );
});

it("a fork is a project of one's own with the same files and containers", async () => {
  const { token } = await service.signUp();
  const { id } = await service.newProject(token, "origin");
  await write(token, id, "a.txt", "one");
  const newContainer = async (name: string) => {
    const path = `/api/projects/${id}/containers`;
    return (await ok<{ container: { id: string } }>("POST", path, token, { name })).container.id;
  };
  const [api, web] = [await newContainer("api"), await newContainer("web")];
  await ok("PATCH", `/api/projects/${id}/containers/${api}`, token, {
    env_vars_to_set: { TOKEN: "secret" },
  });
  const uses = { source_container_id: web, target_container_id: api };
  await ok("POST", `/api/projects/${id}/containers/connections`, token, uses);

  const fork = await ok<{ id: string; name: string }>("POST", `/api/projects/${id}/fork`, token);
  expect(fork).toMatchObject({ name: "origin (Fork)", task_id: expect.any(String) });
  await write(token, id, "a.txt", "two");
  await whenSetUp(token, fork);
  expect(await read(token, fork.id, "a.txt")).toBe("one");
  const copies = await ok<{ id: string; name: string }[]>(
    "GET",
    `/api/projects/${fork.id}/containers`,
    token,
  );
  const byName = copies.toSorted((one, other) => one.name.localeCompare(other.name));
  expect(byName).toMatchObject([{ name: "api", env_var_keys: ["TOKEN"] }, { name: "web" }]);
  expect(copies.map((copy) => copy.id)).not.toContain(api);
  const connections = await ok("GET", `/api/projects/${fork.id}/containers/connections`, token);
  expect(connections).toMatchObject([
    { source_container_id: byName[1]?.id, target_container_id: byName[0]?.id },
  ]);
});

it("a fork of a private project is private, that of any other is for the team", async () => {
  const { token } = await service.signUp();
  const { id } = await service.newProject(token, "origin");
  for (const [visibility, expected] of [
    ["private", "private"],
    ["public", "team"],
  ]) {
    await ok("PATCH", `/api/projects/${id}`, token, { visibility });
    const fork = await ok<{ visibility: string }>("POST", `/api/projects/${id}/fork`, token);
    expect(fork.visibility).toBe(expected);
  }
});
