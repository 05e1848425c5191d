import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { packEntries, unpackEntries } from "#src/domain/workspaces/archives/index.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient } from "#test/support/task-client.ts";
import { entry, many, type TestEntry } from "#test/domain/workspaces/archives/entries.ts";

const service = sharedService();
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "workspace-snapshots-"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
});

interface Made {
  hash: string;
  label: string;
}
interface Listed {
  snapshots: { hash: string; role: string; label: string; file_count: number; task_id: string | null }[];
}

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
  ok<Made>("POST", `/api/projects/${project}/snapshots/`, token, { label });
const list = async (token: string, project: string) =>
  (await ok<Listed>("GET", `/api/projects/${project}/snapshots/`, token)).snapshots;

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

/** The whole of a tar archive. */
async function contentsOf(archive: Uint8Array): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { header, content } of unpackEntries(new Blob([new Uint8Array(archive)]).stream())) {
    const { type, mode = 0, linkname } = header;
    const text = type === "file" ? await new Response(content).text() : (linkname ?? "");
    const shownMode = type === "symlink" ? "" : (mode & 0o777).toString(8);
    found.set(header.name.replace(/\/$/u, ""), `${type} ${shownMode} ${text}`);
  }
  return found;
}

const asContents = (entries: readonly TestEntry[]) =>
  new Map(
    entries.map(({ path, kind, mode, text, target }) => [
      path,
      `${kind} ${kind === "symlink" ? "" : mode.toString(8)} ${kind === "file" ? text : target}`,
    ]),
  );

/** A template of these entries. */
async function upload(token: string, entries: readonly TestEntry[], query = "name=Sample") {
  const body = new Uint8Array(await new Response(packEntries(many(entries))).arrayBuffer());
  return service.call<{ id: string; slug: string }>("POST", `/api/bases?${query}`, { token, body });
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
  it("brings files with modes, links and names of any script back, byte for byte", async () => {
    const { token } = await service.signUp();
    const odd = [
      entry("名前", { kind: "directory", mode: 0o750 }),
      entry("名前/ünï 🙂.txt", { text: "text", mode: 0o755 }),
      entry("名前/leer", { text: "" }),
      entry(`${"long/".repeat(60)}name`, { text: "deep" }),
      entry("link", { kind: "symlink", target: "名前/ünï 🙂.txt", mode: 0o777 }),
      entry("up", { kind: "directory", mode: 0o755 }),
      entry("up/link", { kind: "symlink", target: "../link", mode: 0o777 }),
    ];
    const directories = Array.from({ length: 20 }, (_, index) =>
      entry(`d${index}`, { kind: "directory", mode: 0o755 }),
    );
    const files = Array.from({ length: 20 }, (_, index) =>
      entry(`d${index}/f${index}.ts`, { text: `export const n = ${index};\n` }),
    );
    const entries = [...odd, ...directories, ...files];
    const base = await upload(token, entries);
    expect(base).toMatchObject({ status: 201, body: { file_count: 23 } });
    const json = { name: "Many", source_type: "base", base_id: base.body.id };
    const { id } = await whenSetUp(token, await ok<{ id: string }>("POST", "/api/projects", token, json));

    const { hash } = await snap(token, id);
    await write(token, id, "d1/f1.ts", "changed");
    await write(token, id, "new.txt", "new");
    await ok("DELETE", `/api/projects/${id}/files`, token, { file_path: "d2", is_directory: true });
    const restored = await ok("POST", `/api/projects/${id}/snapshots/${hash}/restore`, token);
    expect(restored).toMatchObject({ success: true, restored_hash: hash });

    const found = await contentsOf(await download(token, id, "tar"));
    const parents = Array.from({ length: 60 }, (_, index) =>
      entry("long/".repeat(index + 1).slice(0, -1), { kind: "directory", mode: 0o755 }),
    );
    expect(found).toEqual(asContents([...entries, ...parents]));
  });

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
});

describe("an export", () => {
  it("can be read by the tools of the trade, in each format", async () => {
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
});

describe("a fork", () => {
  it("is a project of one's own with the same files and containers", async () => {
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
});

it("a fork of a private project is private, that of any other is for the team", async () => {
  const { token } = await service.signUp();
  const { id } = await service.newProject(token, "origin");
  for (const [visibility, expected] of [
    ["private", "private"],
    ["team", "team"],
    ["public", "team"],
  ]) {
    await ok("PATCH", `/api/projects/${id}`, token, { visibility });
    const fork = await ok<{ visibility: string }>("POST", `/api/projects/${id}/fork`, token);
    expect(fork.visibility).toBe(expected);
  }
});
