import { expect, it, vi } from "vitest";
import { createLog } from "#src/platform/log/log.ts";
import { fileChanges } from "#src/platform/objects/file-changes.ts";
import { announced } from "#src/platform/runtime/announced.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { newTrips } from "#src/platform/trips.ts";
import { AppError } from "#src/lib/errors.ts";
import { partOf } from "#test/support/part-of.ts";

const PROJECT = "one";

/** A runtime whose calls all do nothing, or fail. */
function runtimeThat(act: () => Promise<unknown>) {
  const told: (readonly string[] | null)[] = [];
  const bare = partOf<ProjectRuntime>(new Proxy({}, { has: () => true, get: () => act }));
  const workspaces = { runtime: () => bare, destroy: async () => undefined };
  const changes = { announce: (_: string, paths: readonly string[] | null) => void told.push(paths) };
  return { runtime: announced(workspaces, changes).runtime(PROJECT), told };
}

const BODY = new Uint8Array();

it("names what calls change, and says nothing of reads", async () => {
  const { runtime, told } = runtimeThat(async () => undefined);
  await runtime.readFile("a");
  await runtime.list("", { recursive: true });
  await runtime.git("status", {});
  await runtime.exec("ls", { timeoutMs: 1, readOnly: true });
  expect(told).toEqual([]);
  await runtime.writeFile("a", BODY);
  await runtime.remove("b", { recursive: true });
  await runtime.rename("c", "d");
  await runtime.exec("make", { timeoutMs: 1 });
  expect(told).toEqual([["a"], ["b"], ["c", "d"], null]);
});

it("says nothing of a failed change of a file, but of a command that may have done a part", async () => {
  const { runtime, told } = runtimeThat(async () => {
    throw new AppError("conflict", "Not now");
  });
  await expect(runtime.writeFile("a", BODY)).rejects.toThrow("Not now");
  expect(told).toEqual([]);
  await expect(runtime.exec("make", { timeoutMs: 1 })).rejects.toThrow("Not now");
  expect(told).toEqual([null]);
});

/** The sender, with an object that responds when told to. */
function sender() {
  const sent: (readonly string[] | null)[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const object = {
    filesChanged(paths: readonly string[] | null) {
      sent.push(paths);
      const answer = Promise.withResolvers<void>();
      waiting.push(answer);
      return answer.promise;
    },
  };
  const namespace = partOf<Parameters<typeof fileChanges>[0]>({ getByName: () => partOf(object) });
  const trips = newTrips();
  return { changes: fileChanges(namespace, trips, createLog()), sent, waiting, trips };
}

it("makes one call at a time, with all that came meanwhile, and goes on after one that fails", async () => {
  const { changes, sent, waiting, trips } = sender();
  expect(changes.sent()).toBeUndefined();
  for (const path of ["a", "b", "c", "b"]) changes.announce(PROJECT, [path]);
  expect(sent).toEqual([["a"]]);
  const all = changes.sent();
  waiting[0]?.resolve();
  await vi.waitFor(() => expect(sent).toEqual([["a"], ["b", "c"]]));
  waiting[1]?.reject(new Error("overloaded"));
  await all;
  expect(trips.objects).toBe(2);
  changes.announce(PROJECT, ["d"]);
  expect(sent.at(-1)).toEqual(["d"]);
});

it("names no path where there are too many, or where one change named none", async () => {
  const { changes, sent, waiting } = sender();
  const many = Array.from({ length: 101 }, (_, index) => `f${index}`);
  changes.announce(PROJECT, many);
  changes.announce(PROJECT, ["second"]);
  changes.announce(PROJECT, null);
  waiting[0]?.resolve();
  await vi.waitFor(() => expect(sent).toEqual([null, null]));
});
