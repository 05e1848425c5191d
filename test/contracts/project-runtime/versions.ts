import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, chunked, MEGABYTE, randomBytes, textAt } from "./bytes.ts";
import type { Open } from "./under-test.ts";

export function versionsContract(open: Open): void {
  let runtime: ProjectRuntime;
  const textOf = (path: string) => textAt(runtime, path);
  const versionOf = async (path: string) => (await runtime.stat(path))?.version ?? "none";
  const refused = { code: "precondition_failed" };

  describe("versions of files", () => {
    beforeEach(async () => {
      ({ runtime } = await open());
    });

    it.each([5, 2 * MEGABYTE])(
      "tells two contents of %i bytes apart, wherever it shows them",
      async (size) => {
        const first = await runtime.writeFile("a/file", randomBytes(size));
        expect(first.version).toMatch(/^[\w.-]+$/);
        const second = await runtime.writeStream("a/file", chunked(randomBytes(size)), size);
        expect(second.version).toMatch(/^[\w.-]+$/);
        expect(second.version).not.toBe(first.version);
        expect(await versionOf("a/file")).toBe(second.version);
        const read = await runtime.readStream("a/file");
        await read?.body.cancel();
        expect(read?.entry.version).toBe(second.version);
        const listed = await runtime.list("", { recursive: true });
        expect(listed.map(({ version }) => version)).toEqual([undefined, second.version]);
      },
    );

    it("changes the version when a command changes the file", async () => {
      const { version } = await runtime.writeFile("file", bytesOf("one"));
      await runtime.exec("printf two > file", { timeoutMs: HANGS_MS });
      expect(await versionOf("file")).not.toBe(version);
      await expect(runtime.writeFile("file", bytesOf("three"), [version ?? ""])).rejects.toMatchObject(
        refused,
      );
      expect(await textOf("file")).toBe("two");
    });

    it("writes over the expected version only", async () => {
      const { version: old = "" } = await runtime.writeFile("file", bytesOf("one"));
      const { version = "" } = await runtime.writeFile("file", bytesOf("two"), ["another", old]);
      for (const expected of [[old], [], "absent" as const]) {
        await expect(runtime.writeFile("file", bytesOf("x"), expected)).rejects.toMatchObject(refused);
        const body = chunked(bytesOf("x"));
        await expect(runtime.writeStream("file", body, 10, expected)).rejects.toMatchObject(refused);
      }
      expect(await textOf("file")).toBe("two");
      await runtime.writeStream("file", chunked(bytesOf("three")), 10, [version]);
      await runtime.writeFile("file", bytesOf("four"), "present");
      expect(await textOf("file")).toBe("four");
    });

    it("makes a file only where none is, when none is expected", async () => {
      await expect(runtime.writeFile("new", bytesOf("x"), "present")).rejects.toMatchObject(refused);
      await expect(runtime.writeFile("new", bytesOf("x"), ["any"])).rejects.toMatchObject(refused);
      expect(await runtime.stat("new")).toBeUndefined();
      await runtime.writeFile("new", bytesOf("first"), "absent");
      await expect(runtime.writeFile("new", bytesOf("second"), "absent")).rejects.toMatchObject(refused);
      expect(await textOf("new")).toBe("first");
    });

    it("lets one of many writers with the same expectation win", async () => {
      const { version = "" } = await runtime.writeFile("file", bytesOf("old"));
      const writers = Array.from({ length: 12 }, (_, index) => {
        const content = bytesOf(`${index}`.repeat(index * 150_000 + 1));
        return index % 2 === 0
          ? runtime.writeFile("file", content, [version])
          : runtime.writeStream("file", chunked(content), 64 * MEGABYTE, [version]);
      });
      const outcomes = await Promise.allSettled(writers);
      const won = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(won).toHaveLength(1);
      expect(await runtime.stat("file")).toEqual(won[0]);
      const reasons: unknown[] = outcomes.flatMap((each) =>
        each.status === "rejected" ? [each.reason] : [],
      );
      expect(reasons).toEqual(Array.from(reasons, () => expect.objectContaining(refused)));

      const makers = Array.from({ length: 8 }, (_, index) =>
        runtime.writeFile("made", bytesOf(`${index}`), "absent"),
      );
      const made = (await Promise.allSettled(makers)).filter(({ status }) => status === "fulfilled");
      expect(made).toHaveLength(1);
    });

    it("removes and moves the expected version only", async () => {
      const { version: old = "" } = await runtime.writeFile("file", bytesOf("one"));
      const { version = "" } = await runtime.writeFile("file", bytesOf("two"));
      await expect(runtime.remove("file", { recursive: false, expected: [old] })).rejects.toMatchObject(
        refused,
      );
      await expect(runtime.rename("file", "moved", [old])).rejects.toMatchObject(refused);
      await expect(runtime.remove("gone", { recursive: false, expected: [old] })).rejects.toMatchObject(
        refused,
      );
      expect((await runtime.list("", { recursive: true })).map(({ path }) => path)).toEqual(["file"]);
      await runtime.rename("file", "moved", [version]);
      await runtime.remove("moved", { recursive: false, expected: [await versionOf("moved")] });
      expect(await runtime.stat("moved")).toBeUndefined();
    });

    it("gives directories and links no version, and a link the version of its target when it is read", async () => {
      const { version = "" } = await runtime.writeFile("target", bytesOf("one"));
      await runtime.exec("mkdir directory; ln -s target link", { timeoutMs: HANGS_MS });
      expect((await runtime.stat("directory"))?.version).toBeUndefined();
      expect((await runtime.stat("link"))?.version).toBeUndefined();
      const read = await runtime.readStream("link");
      await read?.body.cancel();
      expect(read?.entry.version).toBe(version);
      await expect(
        runtime.remove("directory", { recursive: true, expected: "present" }),
      ).rejects.toMatchObject(refused);
      await runtime.writeFile("link", bytesOf("two"), [version]);
      expect(await textOf("target")).toBe("two");
    });
  });
}
