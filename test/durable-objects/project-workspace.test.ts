import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import { HANGS_MS } from "#test/support/hangs.ts";
import { chunked, MEGABYTE, randomBytes, same } from "../contracts/project-runtime/bytes.ts";
import { cloneTermContract, gitContract } from "../contracts/project-runtime/git.ts";
import { projectRuntimeContract } from "../contracts/project-runtime/index.ts";
import { age, bucket, keysOf, openProject, workspaces } from "./support/open-project.ts";
import { appears } from "../contracts/project-runtime/appears.ts";

const text = (content: string) => new TextEncoder().encode(content);

const destroyed = async () => {
  const opened = openProject();
  await opened.runtime.writeFile("src/a", text("a"));
  await opened.runtime.writeFile("large", randomBytes(2 * MEGABYTE));
  await opened.runtime.writeTodos("chat", "[]");
  await workspaces.destroy(opened.project);
  return opened;
};

const underTest = async () => {
  const { runtime, stub } = openProject();
  return { runtime, mount: "/app", restart: () => evictDurableObject(stub) };
};

projectRuntimeContract("the project's object", underTest);

const newRemote = async () => (await fetch(`${inject("gitServerUrl")}/new`, { method: "POST" })).text();

describe("git in the project's object", () => {
  gitContract(underTest, newRemote);
  cloneTermContract(underTest, newRemote, { outlivesRestart: true });
});

describe("ProjectWorkspace", () => {
  it("has after its eviction what it had before", async () => {
    const { runtime, stub } = openProject();
    const large = randomBytes(3 * MEGABYTE);
    await runtime.writeFile("src/small.txt", text("small"));
    await runtime.writeFile("large.bin", large);
    await runtime.exec("ln -s src/small.txt link; chmod +x src/small.txt", { timeoutMs: HANGS_MS });
    await runtime.writeTodos("chat", "[1]");
    const before = await runtime.list("", { recursive: true });
    await evictDurableObject(stub);
    expect(await runtime.list("", { recursive: true })).toEqual(before);
    expect(await runtime.readFile("link")).toEqual(text("small"));
    expect(same(await runtime.readFile("large.bin"), large)).toBe(true);
    expect(await runtime.readTodos("chat")).toBe("[1]");
  });

  describe("what large files leave in the bucket", () => {
    const WHOLE = 3 * MEGABYTE;
    it("is swept once no file names it", async () => {
      const { project, runtime, stub } = openProject();
      await runtime.writeFile("dir/a", randomBytes(WHOLE));
      await runtime.writeFile("dir/a", randomBytes(WHOLE));
      await runtime.writeFile("b", randomBytes(WHOLE));
      await runtime.writeFile("b", text("small now"));
      await runtime.writeFile("c", randomBytes(WHOLE));
      await runtime.exec("cp c kept; rm c", { timeoutMs: HANGS_MS });
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
      const { project, runtime, stub } = openProject();
      const body = chunked(randomBytes(10 * MEGABYTE));
      await expect(runtime.writeStream("file", body, 9 * MEGABYTE)).rejects.toMatchObject({
        code: "too_large",
      });
      await age(stub);
      expect(await runDurableObjectAlarm(stub)).toBe(true);
      expect(await runDurableObjectAlarm(stub)).toBe(false);
      expect(await keysOf(project)).toEqual([]);
    });

    it("is a loud failure when it is lost, never an empty file", async () => {
      const { project, runtime } = openProject();
      await runtime.writeFile("file", randomBytes(WHOLE));
      await bucket.delete(await keysOf(project));
      await expect(runtime.readFile("file")).rejects.toMatchObject({ code: "internal" });
      await expect(runtime.readStream("file")).rejects.toMatchObject({ code: "internal" });
    });
  });

  describe("destroyed", () => {
    it("leaves nothing behind, here or in the bucket, and may be destroyed again", async () => {
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
      await workspaces.destroy(project);
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

    it("ends running commands, and takes no file from a call that began before", async () => {
      const { project, runtime } = openProject();
      const command = runtime.exec(": > started; sleep 600; : > after", { timeoutMs: HANGS_MS });
      await appears(runtime, "started");
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

  it("responds with 404 for a missing file", async () => {
    const { stub } = openProject();
    expect((await stub.fetch("https://project-workspace/file?path=nothing")).status).toBe(404);
    expect((await stub.fetch("https://project-workspace/file")).status).toBe(404);
  });

  it("takes no body without its seal", async () => {
    const { runtime, stub } = openProject();
    for (const body of ["whole", "", "x".repeat(100)]) {
      const response = await stub.fetch("https://project-workspace/file?path=file&limit=1000&seal=abc", {
        method: "PUT",
        body,
      });
      expect(await response.json()).toMatchObject({ ok: false, code: "invalid_input" });
    }
    expect(await runtime.stat("file")).toBeUndefined();
  });
});
