import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { takeSnapshot } from "#src/domain/workspaces/archives/index.ts";
import { requestStart } from "#src/domain/workspaces/lifecycle/index.ts";
import { bytesOf } from "#test/contracts/project-runtime/bytes.ts";
import { entryOf, inTurn } from "#test/contracts/project-runtime/entries.ts";
import { newWorkshop } from "#test/domain/workspaces/lifecycle/workshop.ts";
import { openDatabase } from "#test/support/database.ts";
import { TEMPORARY } from "#workspace-server/files/project-paths.ts";
import {
  startScriptedSandboxes,
  type ScriptedProject,
  type ScriptedSandboxes,
} from "./support/scripted-sandboxes.ts";

const LOST = {
  code: "unavailable",
  message: "The project's container ended unexpectedly: what was changed since its last snapshot is lost",
};

describe("a project whose files end with its container", () => {
  let sandboxes: ScriptedSandboxes;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  beforeAll(async () => {
    [sandboxes, database] = await Promise.all([startScriptedSandboxes(), openDatabase()]);
  });
  afterAll(() => Promise.all([sandboxes?.close(), database?.close()]));

  const withFile = async (): Promise<ScriptedProject> => {
    const project = sandboxes.newProject();
    await project.runtime.writeFile("file", bytesOf("kept"));
    return project;
  };

  it("says that they are lost, and is asleep until others take their place", async () => {
    const { runtime, endContainer } = await withFile();
    await runtime.thaw(3);
    await runtime.writeTodos("chat", "[1]");
    await endContainer();
    await expect(runtime.stat("file")).rejects.toMatchObject(LOST);
    await expect(runtime.stat("file")).rejects.toMatchObject({ code: "asleep" });
    await expect(runtime.writeFile("file", bytesOf("new"))).rejects.toMatchObject({ code: "asleep" });
    expect(await runtime.storageState()).toEqual({ state: "absent", generation: 3, lost: true });

    await runtime.replaceEntries(inTurn([entryOf("file", "from the snapshot")]), 4);
    expect(await runtime.storageState()).toEqual({ state: "present", generation: 4 });
    expect(await runtime.readFile("file")).toEqual(bytesOf("from the snapshot"));
    expect(await runtime.readTodos("chat")).toBe("[1]");
  });

  it("reports the loss in its storage state, also where another container runs and after a restart, but no loss of discarded files", async () => {
    const { runtime, swapContainer, crash } = await withFile();
    await swapContainer();
    await expect(runtime.list("", { recursive: true })).rejects.toMatchObject(LOST);
    const lost = { state: "absent", generation: 0, lost: true };
    expect(await runtime.storageState()).toEqual(lost);
    await crash();
    expect(await runtime.storageState()).toEqual(lost);
    await expect(runtime.stat("file")).rejects.toMatchObject({ code: "asleep" });
    await runtime.discard(2);
    expect(await runtime.storageState()).toEqual(lost);
    await runtime.replaceEntries(inTurn([entryOf("file", "back")]), 3);
    await runtime.freeze(3);
    await runtime.discard(3);
    expect(await runtime.storageState()).toEqual({ state: "absent", generation: 3 });
  });

  it("gets those of its last snapshot when it is started, and its people read what is lost", async () => {
    const project = await newWorkshop(database.db);
    const { runtime, endContainer } = await withFile();
    const deps = { ...project.deps, workspaces: { runtime: () => runtime } };
    await takeSnapshot(deps, runtime, { projectId: project.id, role: "checkpoint", label: "" });
    await runtime.writeFile("file", bytesOf("changed since"));
    await endContainer();
    await requestStart(deps, project.caller, project.id);
    await project.settle(deps);
    expect(await project.row()).toMatchObject({
      status: "running",
      error: expect.stringMatching(
        /^The project's container ended unexpectedly: changes after its snapshot of \S+Z are lost$/u,
      ),
    });
    expect(await runtime.readFile("file")).toEqual(bytesOf("kept"));
  });

  it("fails the calls that were under way", async () => {
    const { runtime, endContainer, mount } = await withFile();
    const upload = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(bytesOf("x"));
        return new Promise(() => {});
      },
    });
    const writing = runtime.writeStream("upload", upload, 100).catch((error: unknown) => error);
    const unfinished = join(mount, TEMPORARY);
    await vi.waitUntil(() => existsSync(unfinished) && readdirSync(unfinished).length > 0);
    await endContainer();
    expect(await writing).toMatchObject({ code: "unavailable" });
  });

  it("loses nothing where nothing was changed", async () => {
    const { runtime, endContainer, isRunning } = sandboxes.newProject();
    const all = { recursive: true };
    expect(await runtime.list("", all)).toEqual([]);
    await endContainer();
    expect(await runtime.list("", all)).toEqual([]);
    expect(await isRunning()).toBe(true);
  });

  it("is put to sleep without a container where nothing was changed", async () => {
    const { runtime, isRunning } = sandboxes.newProject();
    expect(await runtime.inventory()).toEqual([]);
    await runtime.freeze(1);
    expect(await runtime.inventory()).toEqual([]);
    expect(await isRunning()).toBe(false);
    await runtime.discard(1);
    await expect(runtime.inventory()).rejects.toMatchObject({ code: "asleep" });
  });

  it("keeps its container while it has files, however quiet it is, and ends it without them", async () => {
    const { runtime, expire, isRunning, crash } = await withFile();
    await expire();
    expect(await isRunning()).toBe(true);
    await crash();
    expect(await runtime.readFile("file")).toEqual(bytesOf("kept"));
    await runtime.freeze(1);
    await runtime.discard(1);
    expect(await isRunning()).toBe(false);
    await expect(runtime.stat("file")).rejects.toMatchObject({ code: "asleep" });
    expect(await isRunning()).toBe(false);
  });

  it("lets one of two take the place of its files, the newer one", async () => {
    const { runtime } = await withFile();
    const arrived = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    async function* slowly() {
      yield entryOf("older", "x");
      arrived.resolve();
      await goOn.promise;
      yield entryOf("older-still", "x");
    }
    const older = runtime.replaceEntries(slowly(), 1).catch((error: unknown) => error);
    await arrived.promise;
    await runtime.replaceEntries(inTurn([entryOf("newer", "x")]), 2);
    goOn.resolve();
    // Broken off, or refused where it comes second.
    expect(await older).toMatchObject({ code: expect.stringMatching(/^(unavailable|conflict)$/) });
    expect((await runtime.inventory()).map(({ path }) => path)).toEqual(["newer"]);
    expect(await runtime.storageState()).toEqual({ state: "present", generation: 2 });
  });

  it("is gone for good once it is destroyed", async () => {
    const { runtime, isRunning } = await withFile();
    await runtime.writeTodos("chat", "[1]");
    await runtime.destroy();
    await runtime.destroy();
    expect(await isRunning()).toBe(false);
    expect(await runtime.readTodos("chat")).toBeUndefined();
    const gone = { code: "not_found" };
    await expect(runtime.writeFile("file", bytesOf("x"))).rejects.toMatchObject(gone);
    await expect(runtime.replaceEntries(inTurn([]), 9)).rejects.toMatchObject(gone);
    await expect(runtime.writeTodos("chat", "[2]")).rejects.toMatchObject(gone);
    expect(await isRunning()).toBe(false);
  });
});
