import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { bytesOf, MEGABYTE, randomBytes, same } from "./bytes.ts";
import { entryOf, inTurn } from "./entries.ts";
import type { Open } from "./under-test.ts";

export function directoriesContract(open: Open): void {
  let runtime: ProjectRuntime;
  const pathsIn = async (path: string, options: { recursive: boolean; exclude?: readonly string[] }) =>
    (await runtime.list(path, options)).map((entry) => entry.path);

  describe("directories", () => {
    beforeEach(async () => {
      ({ runtime } = await open());
    });

    it("lists one level or all, parents first, by name", async () => {
      for (const path of ["b/two", "b/one", "b-c", "a/x/deep"]) await runtime.writeFile(path, bytesOf(path));
      expect(await pathsIn("", { recursive: false })).toEqual(["a", "b", "b-c"]);
      expect(await pathsIn("", { recursive: true })).toEqual([
        "a",
        "a/x",
        "a/x/deep",
        "b",
        "b/one",
        "b/two",
        "b-c",
      ]);
      expect(await pathsIn("b", { recursive: true })).toEqual(["b/one", "b/two"]);
    });

    it("leaves excluded directories out, at any depth, but not files of that name", async () => {
      for (const path of ["node_modules/x/y", "src/node_modules/z", "src/app", "lib/node_modules"]) {
        await runtime.writeFile(path, bytesOf(""));
      }
      expect(await pathsIn("", { recursive: true, exclude: ["node_modules"] })).toEqual([
        "lib",
        "lib/node_modules",
        "src",
        "src/app",
      ]);
    });

    it("says where there is no directory to list", async () => {
      await runtime.writeFile("file", bytesOf(""));
      await expect(runtime.list("missing", { recursive: false })).rejects.toMatchObject({
        code: "not_found",
      });
      await expect(runtime.list("file", { recursive: false })).rejects.toMatchObject({ code: "conflict" });
      expect(await pathsIn("", { recursive: true })).toEqual(["file"]);
    });

    it("makes a directory and its parents, again and again", async () => {
      await runtime.makeDirectory("a/b/c");
      await runtime.makeDirectory("a/b/c");
      expect(await pathsIn("", { recursive: true })).toEqual(["a", "a/b", "a/b/c"]);
    });

    it("moves a directory with more entries than any page, large files included", async () => {
      const many = Array.from({ length: 1200 }, (_, index) => entryOf(`from/many/${index}`, ""));
      const directories = ["from", "from/many"].map((path) => entryOf(path, "directory/"));
      await runtime.replaceEntries(inTurn([...directories, ...many]));
      const large = randomBytes(2 * MEGABYTE);
      await runtime.writeFile("from/large", large);
      await runtime.writeFile("from-other", bytesOf("stays"));
      await runtime.rename("from", "to/in/here");
      expect(await pathsIn("to/in/here/many", { recursive: false })).toHaveLength(1200);
      expect(same(await runtime.readFile("to/in/here/large"), large)).toBe(true);
      expect(await pathsIn("", { recursive: false })).toEqual(["from-other", "to"]);
    });

    it("moves names whose letters take two units", async () => {
      await runtime.writeFile("🙂/ä/🙂", bytesOf("x"));
      await runtime.rename("🙂", "ö");
      expect(await pathsIn("", { recursive: true })).toEqual(["ö", "ö/ä", "ö/ä/🙂"]);
    });

    it("moves nothing that is missing, over something, or into itself", async () => {
      await runtime.writeFile("a/file", bytesOf("a"));
      await runtime.writeFile("b", bytesOf("b"));
      await expect(runtime.rename("missing", "c")).rejects.toMatchObject({ code: "not_found" });
      await expect(runtime.rename("a/file", "b")).rejects.toMatchObject({ code: "conflict" });
      await expect(runtime.rename("a", "a/below")).rejects.toMatchObject({ code: "invalid_input" });
      expect(await pathsIn("", { recursive: true })).toEqual(["a", "a/file", "b"]);
    });

    it("removes a file, a directory with all it holds only when asked to, and never the root", async () => {
      for (const path of ["dir/one", "dir/sub/two", "dirt"]) await runtime.writeFile(path, bytesOf(""));
      await expect(runtime.remove("missing", { recursive: true })).rejects.toMatchObject({
        code: "not_found",
      });
      await expect(runtime.remove("dir", { recursive: false })).rejects.toMatchObject({ code: "conflict" });
      await expect(runtime.remove("", { recursive: true })).rejects.toMatchObject({ code: "invalid_input" });
      await runtime.remove("dir/one", { recursive: false });
      await runtime.remove("dir", { recursive: true });
      expect(await pathsIn("", { recursive: true })).toEqual(["dirt"]);
    });
  });
}
