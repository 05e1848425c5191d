import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Open } from "./under-test.ts";

export function notesContract(open: Open): void {
  describe("notes", () => {
    let runtime: ProjectRuntime;
    beforeEach(async () => {
      ({ runtime } = await open());
    });

    it("keeps a to-do list for each chat", async () => {
      expect(await runtime.readTodos("one")).toBeUndefined();
      await runtime.writeTodos("one", '[{"content":"déjà"}]');
      await runtime.writeTodos("two", "[]");
      await runtime.writeTodos("one", "[1]");
      expect(await runtime.readTodos("one")).toBe("[1]");
      expect(await runtime.readTodos("two")).toBe("[]");
    });
  });
}
