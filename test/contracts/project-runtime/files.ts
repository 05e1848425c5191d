import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { breakingOff, bytesOf, chunked, collect, MEGABYTE, randomBytes, same, textAt } from "./bytes.ts";
import type { Open } from "./under-test.ts";

export function filesContract(open: Open): void {
  let runtime: ProjectRuntime;
  const textOf = (path: string) => textAt(runtime, path);

  describe("files", () => {
    beforeEach(async () => {
      ({ runtime } = await open());
    });

    it.each([
      ["every byte", Uint8Array.from({ length: 256 }, (_, index) => index)],
      ["text that is not ASCII", bytesOf("déjà vu 🙂\r\n\0end")],
      ["23 MiB", randomBytes(23 * MEGABYTE)],
    ])("keeps %s intact", async (_, content) => {
      const entry = await runtime.writeFile("data.bin", content);
      expect(entry).toMatchObject({
        path: "data.bin",
        name: "data.bin",
        kind: "file",
        size: content.length,
      });
      expect(Math.abs(entry.modifiedAt - Date.now())).toBeLessThan(60_000);
      expect(await runtime.stat("data.bin")).toEqual(entry);
      expect(same(await runtime.readFile("data.bin"), content)).toBe(true);
    });

    it("streams a file in and out that no call could carry", async () => {
      const content = randomBytes(34 * MEGABYTE + 17);
      const entry = await runtime.writeStream("deep/er/video.bin", chunked(content), 64 * MEGABYTE);
      expect(entry).toMatchObject({ path: "deep/er/video.bin", size: content.length });
      const read = await runtime.readStream("deep/er/video.bin");
      expect(read?.entry).toEqual(entry);
      expect(same(read && (await collect(read.body)), content)).toBe(true);
      await expect(runtime.readFile("deep/er/video.bin")).rejects.toMatchObject({ code: "too_large" });
    });

    it("streams a small and an empty file", async () => {
      await runtime.writeStream("small", chunked(bytesOf("hello"), 2), 10);
      await runtime.writeStream("empty", chunked(new Uint8Array()), 10);
      expect(await textOf("small")).toBe("hello");
      expect(await textOf("empty")).toBe("");
      const read = await runtime.readStream("empty");
      expect(read && (await collect(read.body))).toHaveLength(0);
    });

    it("finds nothing where there is no file", async () => {
      await runtime.makeDirectory("directory");
      for (const path of ["missing", "missing/below", "directory"]) {
        expect(await runtime.readFile(path)).toBeUndefined();
        expect(await runtime.readStream(path)).toBeUndefined();
      }
      expect(await runtime.stat("missing")).toBeUndefined();
    });

    it("makes the directories of a file, with names of any script", async () => {
      const path = `${"d/".repeat(60)}名前 with spaces/ünï-🙂.txt`;
      await runtime.writeFile(path, bytesOf("here"));
      expect(await textOf(path)).toBe("here");
      expect(await runtime.stat("d/d")).toMatchObject({
        path: "d/d",
        name: "d",
        kind: "directory",
        size: 0,
      });
    });

    it("keeps names as they are, each apart from those that look like it", async () => {
      const names = [
        "trailing.",
        "trailing. ",
        " leading",
        "leading",
        "   ",
        "tab\t",
        "line\nbreak",
        "back\\slash.txt",
        "quo'te\"`$&;|<>*?.txt",
        "100%.txt",
        "100%25.txt",
        "#hash?.txt",
        "[id]",
        "-rf",
        "~",
        "é",
        "e\u0301",
      ];
      for (const name of names) await runtime.writeFile(`odd/${name}`, bytesOf(name));
      for (const name of names) expect([name, await textOf(`odd/${name}`)]).toEqual([name, name]);
      const listed = (await runtime.list("odd", { recursive: false })).map((entry) => entry.name);
      expect(listed.toSorted()).toEqual(names.toSorted());
      await runtime.rename("odd/trailing. ", "odd/other. ");
      await runtime.remove("odd/tab\t", { recursive: false });
      expect(await textOf("odd/other. ")).toBe("trailing. ");
      expect(await runtime.stat("odd/tab\t")).toBeUndefined();
      expect(await textOf("odd/trailing.")).toBe("trailing.");
    });

    it("refuses a file where a directory is, and a directory where a file is", async () => {
      await runtime.writeFile("a/file", bytesOf("kept"));
      const conflict = { code: "conflict" };
      await expect(runtime.writeFile("a", bytesOf("x"))).rejects.toMatchObject(conflict);
      await expect(runtime.writeStream("a", chunked(bytesOf("x")), 10)).rejects.toMatchObject(conflict);
      await expect(runtime.writeFile("a/file/below", bytesOf("x"))).rejects.toMatchObject(conflict);
      await expect(runtime.makeDirectory("a/file")).rejects.toMatchObject(conflict);
      expect(await textOf("a/file")).toBe("kept");
    });

    it.each([1, 9 * MEGABYTE])(
      "keeps the old file when a body exceeds its limit of %i bytes",
      async (limit) => {
        await runtime.writeFile("file", bytesOf("old"));
        const body = chunked(randomBytes(limit + MEGABYTE));
        await expect(runtime.writeStream("file", body, limit)).rejects.toMatchObject({ code: "too_large" });
        expect(await textOf("file")).toBe("old");
      },
    );

    it.each([3, 10 * MEGABYTE])("keeps the old file when a body breaks off after %i bytes", async (size) => {
      await runtime.writeFile("file", bytesOf("old"));
      const body = breakingOff(randomBytes(size));
      await expect(runtime.writeStream("file", body, 64 * MEGABYTE)).rejects.toBeInstanceOf(Error);
      expect(await textOf("file")).toBe("old");
    });

    it("refuses a call with more than it carries", async () => {
      await expect(runtime.writeFile("file", new Uint8Array(24 * MEGABYTE + 1))).rejects.toMatchObject({
        code: "too_large",
      });
      expect(await runtime.stat("file")).toBeUndefined();
    });

    it("leaves one whole content when many write the same file", async () => {
      const contents = ["a", "b", "c", "d", "e", "f"].map((letter, index) =>
        letter.repeat(index * 400_000 + 1),
      );
      await Promise.all(
        contents.map((content, index) =>
          index % 2 === 0
            ? runtime.writeFile("file", bytesOf(content))
            : runtime.writeStream("file", chunked(bytesOf(content)), 64 * MEGABYTE),
        ),
      );
      expect(contents).toContain(await textOf("file"));
      expect((await runtime.list("", { recursive: true })).map((entry) => entry.path)).toEqual(["file"]);
    });

    it("gives a reader the whole of the file it opened, though it is replaced", async () => {
      const content = randomBytes(12 * MEGABYTE);
      await runtime.writeStream("file", chunked(content), 64 * MEGABYTE);
      const read = await runtime.readStream("file");
      await runtime.writeFile("file", bytesOf("new"));
      expect(same(read && (await collect(read.body)), content)).toBe(true);
      expect(await textOf("file")).toBe("new");
    });

    it("refuses a name longer than 255 bytes", async () => {
      await expect(runtime.writeFile("é".repeat(128), bytesOf("x"))).rejects.toMatchObject({
        code: "invalid_input",
      });
    });
  });
}
