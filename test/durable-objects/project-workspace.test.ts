import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ProjectWorkspace } from "#durable-objects/project-workspace/index.ts";
import { checkEnv } from "#src/env.ts";
import { projectWorkspaces } from "#src/platform/objects/project-workspaces.ts";
import { newTrips } from "#src/platform/trips.ts";
import { chunked, projectRuntimeContract, randomBytes, same } from "../contracts/project-runtime.ts";

const checked = checkEnv(env);
if (!checked.ok) throw new Error(`bindings: ${JSON.stringify(checked.problems)}`);
const { PROJECT_WORKSPACE: namespace, PROJECT_FILES: bucket } = checked.env;
const workspaces = projectWorkspaces(namespace, newTrips());
const MEGABYTE = 1024 * 1024;
const text = (content: string) => new TextEncoder().encode(content);
const keysOf = async (project: string) =>
  (await bucket.list({ prefix: `projects/${project}/` })).objects.map(({ key }) => key);
const open = () => {
  const project = crypto.randomUUID();
  return { project, runtime: workspaces.runtime(project), stub: namespace.getByName(project) };
};

/** As if a quarter of an hour went by: time itself is not ours to move. */
const age = (stub: DurableObjectStub<ProjectWorkspace>) =>
  runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE unreferenced SET since = since - 16 * 60 * 1000");
  });

const destroyed = async () => {
  const opened = open();
  await opened.runtime.writeFile("src/a", text("a"));
  await opened.runtime.writeFile("large", randomBytes(2 * MEGABYTE));
  await opened.runtime.writeTodos("chat", "[]");
  await workspaces.destroy(opened.project);
  return opened;
};

projectRuntimeContract("the project's object", async () => open().runtime);

describe("ProjectWorkspace", () => {
  it("has after its eviction what it had before", async () => {
    const { runtime, stub } = open();
    const large = randomBytes(3 * MEGABYTE);
    await runtime.writeFile("src/small.txt", text("small"));
    await runtime.writeFile("large.bin", large);
    await runtime.exec("ln -s src/small.txt link; chmod +x src/small.txt", { timeoutMs: 5000 });
    await runtime.writeTodos("chat", "[1]");
    const before = await runtime.list("", { recursive: true });
    await evictDurableObject(stub);
    expect(await runtime.list("", { recursive: true })).toEqual(before);
    expect(await runtime.readFile("link")).toEqual(text("small"));
    expect(same(await runtime.readFile("large.bin"), large)).toBe(true);
    expect(await runtime.readTodos("chat")).toBe("[1]");
  });

  it("keeps projects apart", async () => {
    const [one, other] = [open(), open()];
    await one.runtime.writeFile("file", text("one"));
    expect(await other.runtime.readFile("file")).toBeUndefined();
  });

  describe("what large files leave in the bucket", () => {
    const WHOLE = 3 * MEGABYTE;
    it("is swept once nobody names it", async () => {
      const { project, runtime, stub } = open();
      await runtime.writeFile("dir/a", randomBytes(WHOLE));
      await runtime.writeFile("dir/a", randomBytes(WHOLE));
      await runtime.writeFile("b", randomBytes(WHOLE));
      await runtime.writeFile("b", text("small now"));
      await runtime.writeFile("c", randomBytes(WHOLE));
      await runtime.exec("cp c kept; rm c", { timeoutMs: 5000 });
      await runtime.remove("dir", { recursive: true });
      expect(await keysOf(project)).toHaveLength(4);

      expect(await runDurableObjectAlarm(stub)).toBe(true);
      expect(await keysOf(project)).toHaveLength(4);
      await age(stub);
      expect(await runDurableObjectAlarm(stub)).toBe(true);
      expect(await keysOf(project)).toHaveLength(1);
      expect(await runDurableObjectAlarm(stub)).toBe(false);
      expect(await runtime.readFile("kept")).toHaveLength(WHOLE);
    });

    it("is swept when an upload was too large or broke off", async () => {
      const { project, runtime, stub } = open();
      const body = chunked(randomBytes(20 * MEGABYTE));
      await expect(runtime.writeStream("file", body, 17 * MEGABYTE)).rejects.toMatchObject({
        code: "too_large",
      });
      await age(stub);
      expect(await runDurableObjectAlarm(stub)).toBe(true);
      expect(await runDurableObjectAlarm(stub)).toBe(false);
      expect(await keysOf(project)).toEqual([]);
    });

    it("is a loud failure when it is lost, never an empty file", async () => {
      const { project, runtime } = open();
      await runtime.writeFile("file", randomBytes(WHOLE));
      await bucket.delete(await keysOf(project));
      await expect(runtime.readFile("file")).rejects.toMatchObject({ code: "internal" });
      await expect(runtime.readStream("file")).rejects.toMatchObject({ code: "internal" });
    });
  });

  describe("destroyed", () => {
    it("leaves nothing behind, here or in the bucket", async () => {
      const { project, runtime, stub } = await destroyed();
      const isEmpty = async () => {
        expect(await runtime.list("", { recursive: true })).toEqual([]);
        expect(await runtime.readFile("src/a")).toBeUndefined();
        expect(await runtime.readStream("large")).toBeUndefined();
        expect(await runtime.readTodos("chat")).toBeUndefined();
        expect(await keysOf(project)).toEqual([]);
      };
      await isEmpty();
      await evictDurableObject(stub);
      await isEmpty();
    });

    it("takes nothing in any more", async () => {
      const { project, runtime, stub } = await destroyed();
      const gone = { code: "not_found" };
      await expect(runtime.writeFile("new", text("x"))).rejects.toMatchObject(gone);
      await expect(runtime.writeStream("new", chunked(text("x")), 10)).rejects.toMatchObject(gone);
      await expect(runtime.makeDirectory("new")).rejects.toMatchObject(gone);
      await expect(runtime.writeTodos("chat", "[]")).rejects.toMatchObject(gone);
      await expect(runtime.exec("true", { timeoutMs: 1000 })).rejects.toMatchObject(gone);
      await evictDurableObject(stub);
      await expect(runtime.writeFile("new", text("x"))).rejects.toMatchObject(gone);
      expect(await keysOf(project)).toEqual([]);
    });

    it("may be destroyed again", async () => {
      const { project, runtime } = await destroyed();
      await workspaces.destroy(project);
      expect(await runtime.list("", { recursive: true })).toEqual([]);
    });

    it("ends what runs, and takes no file from who began before", async () => {
      const { project, runtime } = open();
      const command = runtime.exec(": > started; sleep 600; : > after", { timeoutMs: 60_000 });
      while (!(await runtime.stat("started"))) await runtime.stat("");
      const { readable, writable } = new IdentityTransformStream();
      const upload = runtime.writeStream("file", readable, 64 * MEGABYTE);
      const refused = upload.catch((error: unknown) => error);
      const writer = writable.getWriter();
      await writer.write(randomBytes(9 * MEGABYTE));
      await workspaces.destroy(project);
      expect((await command).exitCode).toBe(130);
      await writer.close();
      expect(await refused).toMatchObject({ code: "not_found" });
      expect(await runtime.list("", { recursive: true })).toEqual([]);
    });

    it("looks once more for uploads that ended after it", async () => {
      const { project, stub } = await destroyed();
      await bucket.put(`projects/${project}/late`, "x");
      expect(await runDurableObjectAlarm(stub)).toBe(true);
      expect(await keysOf(project)).toEqual([]);
      expect(await runDurableObjectAlarm(stub)).toBe(false);
    });
  });

  it("answers nothing for what is not a file", async () => {
    const { stub } = open();
    expect((await stub.fetch("https://project-workspace/?path=nothing")).status).toBe(404);
    expect((await stub.fetch("https://project-workspace/")).status).toBe(404);
  });

  it("takes no body without its seal", async () => {
    const { runtime, stub } = open();
    for (const body of ["whole", "", "x".repeat(100)]) {
      const response = await stub.fetch("https://project-workspace/?path=file&limit=1000&seal=abc", {
        method: "PUT",
        body,
      });
      expect(await response.json()).toMatchObject({ ok: false, code: "invalid_input" });
    }
    expect(await runtime.stat("file")).toBeUndefined();
  });
});
