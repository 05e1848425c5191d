import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ProjectWorkspace } from "#durable-objects/project-workspace/index.ts";
import { MIGRATIONS } from "#durable-objects/project-workspace/schema.ts";
import { migrate } from "#durable-objects/lib/sql-migrations.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, MEGABYTE, randomBytes, textFrom } from "../contracts/project-runtime/bytes.ts";
import { entryOf, inTurn } from "../contracts/project-runtime/entries.ts";
import { age, keysOf, openProject } from "./support/open-project.ts";

const rowsOf = (stub: DurableObjectStub<ProjectWorkspace>, table: "contents" | "staged" | "shell_output") =>
  runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).one().rows,
  );

describe("what a project's object stores", () => {
  it("keeps small contents once, and lets them go with the last file", async () => {
    const { runtime, stub } = openProject();
    await runtime.writeFile("a", bytesOf("same"));
    await runtime.exec("cp a b; cp a c", { timeoutMs: HANGS_MS });
    await runtime.writeFile("d", bytesOf("same"));
    expect(await rowsOf(stub, "contents")).toBe(1);
    await runtime.writeFile("a", bytesOf("other"));
    for (const path of ["b", "c"]) await runtime.remove(path, { recursive: false });
    expect(await rowsOf(stub, "contents")).toBe(2);
    expect(await runtime.readFile("d")).toEqual(bytesOf("same"));
    await runtime.remove("d", { recursive: false });
    expect(await rowsOf(stub, "contents")).toBe(1);
  });

  it("is read as it was before contents had a table of their own", async () => {
    const { runtime, stub } = openProject();
    await runInDurableObject(stub, async (_, { storage }) => {
      await storage.deleteAll();
      migrate(storage, MIGRATIONS.slice(0, 7));
      for (const [path, id] of [
        ["file", "one"],
        ["copy", "one"],
      ]) {
        storage.sql.exec(
          `INSERT INTO entries (path, parent, kind, size, mode, modified_at, content_id, content)
          VALUES (?, '', 'file', 5, 420, 1, ?, ?)`,
          path,
          id,
          bytesOf("bytes"),
        );
      }
    });
    await evictDurableObject(stub);
    await runtime.remove("copy", { recursive: false });
    expect(await runtime.readFile("file")).toEqual(bytesOf("bytes"));
    await runtime.remove("file", { recursive: false });
    expect(await rowsOf(stub, "contents")).toBe(0);
  });

  it("holds nothing of a transfer that died with the object", async () => {
    const { project, runtime, stub } = openProject();
    await runtime.writeFile("small", bytesOf("small"));
    await runtime.writeFile("large", randomBytes(3 * MEGABYTE));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("INSERT INTO staged SELECT * FROM entries; DELETE FROM entries");
    });
    await evictDurableObject(stub);
    expect(await runtime.inventory()).toEqual([]);
    expect([await rowsOf(stub, "staged"), await rowsOf(stub, "contents")]).toEqual([0, 0]);
    await age(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await keysOf(project)).toEqual([]);
  });

  it("is that of the transfer that began last", async () => {
    const { runtime, stub } = openProject();
    const begun = Promise.withResolvers<void>();
    const overtaken = Promise.withResolvers<void>();
    async function* slowly() {
      yield entryOf("slow", "x");
      begun.resolve();
      await overtaken.promise;
      yield entryOf("slower", "x");
    }
    const first = runtime.replaceEntries(slowly()).catch((error: unknown) => error);
    await begun.promise;
    await runtime.replaceEntries(inTurn([entryOf("fast", "x")]));
    overtaken.resolve();
    expect(await first).toMatchObject({ code: "conflict" });
    expect((await runtime.inventory()).map(({ path }) => path)).toEqual(["fast"]);
    expect(await rowsOf(stub, "staged")).toBe(0);
  });

  it("leaves nothing in the bucket once it is discarded", async () => {
    const { project, runtime, stub } = openProject();
    await runtime.replaceEntries(inTurn([entryOf("large", randomBytes(9 * MEGABYTE))]));
    await runtime.freeze(1);
    await runtime.discard(1);
    await age(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await keysOf(project)).toEqual([]);
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });
});

describe("shell sessions in a project's object", () => {
  const shell = { command: "/bin/bash", columns: 80, rows: 24 };

  it("are over after its eviction, and readable for half an hour", async () => {
    const { runtime, stub } = openProject();
    const id = crypto.randomUUID();
    await runtime.openShell(id, shell);
    expect(textFrom((await runtime.readShell(id, 0)).data)).toBe("user@project:/app$ ");
    await evictDurableObject(stub);
    const output = await runtime.readShell(id, 0);
    expect(output).toMatchObject({ ended: true, exitCode: null });
    expect(textFrom(output.data)).toBe("user@project:/app$ ");
    await expect(runtime.writeShell(id, "ls\n")).rejects.toMatchObject({ code: "conflict" });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await runtime.readShell(id, 0);
    await age(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expect(runtime.readShell(id, 0)).rejects.toMatchObject({ code: "not_found" });
    expect(await rowsOf(stub, "shell_output")).toBe(0);
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });

  it("show a prompt with the directory, and nothing for keys that mean nothing", async () => {
    const { runtime } = openProject();
    const id = crypto.randomUUID();
    await runtime.openShell(id, shell);
    await runtime.writeShell(id, "mkdir -p a/b; cd a/b\n");
    for (const part of ["\u001b", "[A", "\u001b[1;5D", "\u0007", "\u001bOP"])
      await runtime.writeShell(id, part);
    await runtime.writeShell(id, "echo one two\u0017three\nexit\n");
    const shown = await new Response(await runtime.watchShell(id, 0)).text();
    expect(shown).toBe(
      "user@project:/app$ mkdir -p a/b; cd a/b\r\n" +
        "user@project:/app/a/b$ echo one two\b \b\b \b\b \bthree\r\none three\r\n" +
        "user@project:/app/a/b$ exit\r\n",
    );
  });
});

describe("processes in a project's object", () => {
  it("are remembered, not run", async () => {
    const { runtime, stub } = openProject();
    expect(runtime.runsProcesses).toBe(false);
    await runtime.startProcess("web", { command: "npm run dev", env: { PORT: "3000" } });
    await runtime.startProcess("api", { command: "node api.js" });
    await evictDurableObject(stub);
    expect(await runtime.processes()).toMatchObject([
      { name: "api", running: true, exitCode: null },
      { name: "web", running: true, exitCode: null },
    ]);
    expect(await runtime.readLog("web", 10)).toEqual(["This runtime shows files; `npm run dev` is not run"]);
    expect(await new Response(await runtime.watchLog("web", 10)).text()).toContain("npm run dev");
    expect(await runtime.readLog("nobody", 10)).toEqual([]);
    await expect(runtime.fetchPort(3000, new Request("http://localhost/"))).rejects.toMatchObject({
      code: "unavailable",
    });
    await runtime.stopProcess("web");
    await runtime.stopProcess("web");
    await runtime.stopProcesses();
    expect((await runtime.processes()).map(({ running, exitCode }) => [running, exitCode])).toEqual([
      [false, 143],
      [false, 143],
    ]);
  });
});
