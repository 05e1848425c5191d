import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, chunked, MEGABYTE, randomBytes, textAt } from "./bytes.ts";
import { differences, entryOf, inTurn, readAll } from "./entries.ts";
import type { Open } from "./under-test.ts";
import { appears } from "./appears.ts";

const plainFile = () => entryOf("file", "x");

/** The files as a whole: taken out and put back. */
export function storageContract(open: Open): void {
  describe("the files as a whole", () => {
    let runtime: ProjectRuntime;
    let restart: (() => Promise<void>) | undefined;
    beforeEach(async () => {
      ({ runtime, restart } = await open());
    });
    const paths = async () => (await runtime.inventory()).map(({ path }) => path).toSorted();
    const textOf = (path: string) => textAt(runtime, path);

    it("are listed with what is needed to make them again", async () => {
      await runtime.writeFile("src/tool.sh", bytesOf("#!/bin/sh"));
      await runtime.exec("chmod 750 src/tool.sh; ln -s src/tool.sh link; mkdir empty", {
        timeoutMs: HANGS_MS,
      });
      // What is written to it leaves a file its mode.
      await runtime.writeFile("src/tool.sh", bytesOf("#!/bin/sh"));
      await runtime.exec("sed -i s/sh/sh/ src/tool.sh", { timeoutMs: HANGS_MS });
      const inventory = await runtime.inventory();
      expect(inventory.map(({ path, kind, size, target }) => ({ path, kind, size, target }))).toEqual(
        expect.arrayContaining([
          { path: "src", kind: "directory", size: 0, target: "" },
          { path: "src/tool.sh", kind: "file", size: 9, target: "" },
          { path: "link", kind: "symlink", size: expect.any(Number), target: "src/tool.sh" },
          { path: "empty", kind: "directory", size: 0, target: "" },
        ]),
      );
      expect(inventory).toHaveLength(4);
      const file = inventory.find(({ path }) => path === "src/tool.sh");
      expect(file?.mode).toBe(0o750);
      expect(Math.abs((file?.modifiedAt ?? 0) - Date.now())).toBeLessThan(60_000);
      const order = inventory.map(({ path }) => path);
      expect(order.indexOf("src")).toBeLessThan(order.indexOf("src/tool.sh"));
    });

    it("have a fingerprint each that changes with the content, and only then", async () => {
      await runtime.writeFile("changed", bytesOf("one"));
      await runtime.writeFile("same", bytesOf("one"));
      const before = new Map((await runtime.inventory()).map((each) => [each.path, each.fingerprint]));
      await runtime.writeFile("changed", bytesOf("two"));
      const after = new Map((await runtime.inventory()).map((each) => [each.path, each.fingerprint]));
      expect(after.get("changed")).not.toBe(before.get("changed"));
      expect(after.get("same")).toBe(before.get("same"));
    });

    it("come back as they were, in place of all others", async () => {
      const entries = [
        entryOf("名前", "directory/", { mode: 0o700 }),
        entryOf("名前/ünï 🙂.txt", "text", { mode: 0o755, modifiedAt: 1_600_000_000_000 }),
        entryOf("名前/empty", ""),
        entryOf("名前/out", { target: "../../elsewhere" }),
        entryOf("names-b", "directory/"),
        entryOf("large", randomBytes(9 * MEGABYTE + 5)),
        entryOf("bytes", randomBytes(MEGABYTE + 1)),
      ];
      await runtime.writeFile("before/file", bytesOf("gone"));
      await runtime.replaceEntries(inTurn(entries));
      expect(await paths()).toEqual(entries.map(({ entry }) => entry.path).toSorted());
      const inventory = await runtime.inventory();
      for (const { entry } of entries) {
        const { mode, modifiedAt } = entry;
        const expected =
          entry.kind === "symlink" ? {} : entry.kind === "file" ? { mode, modifiedAt } : { mode };
        expect(inventory.find(({ path }) => path === entry.path)).toMatchObject(expected);
      }

      const order = ["large", "bytes", "名前/empty", "no-such", "名前/ünï 🙂.txt", "名前/out", "名前"];
      const read = await readAll(runtime, order);
      expect(read.map(({ entry }) => entry.path)).toEqual(order.filter((path) => path !== "no-such"));
      const { runtime: other } = await open();
      await other.replaceEntries(await runtime.readEntries(await paths()));
      expect(differences(await readAll(other, order), read)).toEqual([]);
    });

    it("are returned without reading the contents that the caller skips", async () => {
      await runtime.writeFile("a", randomBytes(3 * MEGABYTE));
      await runtime.writeFile("b", bytesOf("b"));
      const seen: string[] = [];
      for await (const { entry } of await runtime.readEntries(["a", "b"])) seen.push(entry.path);
      expect(seen).toEqual(["a", "b"]);
    });

    it("stay as they are when those in their place break off, or are no entries", async () => {
      await runtime.writeFile("kept", bytesOf("kept"));
      const checksum = new Error("the checksum is wrong");
      const many = Array.from({ length: 50 }, (_, index) => entryOf(`file-${index}`, randomBytes(100_000)));
      await expect(runtime.replaceEntries(inTurn(many, checksum))).rejects.toBe(checksum);
      const bad = { code: "invalid_input" };
      for (const entries of [
        [entryOf("../out", "x")],
        [entryOf("/absolute", "x")],
        [entryOf("a//b", "x")],
        [entryOf("missing/parent", "x")],
        [plainFile(), entryOf("file/below", "x")],
        [plainFile(), entryOf("file", "again")],
        [entryOf("", "directory/")],
        [entryOf("nul\0", "x")],
        [entryOf("link", { target: "" })],
        [entryOf("to", { target: ".." }), entryOf("to/file", "x")],
      ]) {
        await expect(runtime.replaceEntries(inTurn(entries))).rejects.toMatchObject(bad);
      }
      const short = { ...plainFile(), entry: { ...plainFile().entry, size: 100 } };
      await expect(runtime.replaceEntries(inTurn([short]))).rejects.toBeInstanceOf(Error);
      expect(await paths()).toEqual(["kept"]);
      expect(await textOf("kept")).toBe("kept");
    });

    it("are there again after a crash", async () => {
      if (!restart) return;
      await runtime.replaceEntries(inTurn([entryOf("a", "directory/"), entryOf("a/file", "content")]));
      await restart();
      expect(await paths()).toEqual(["a", "a/file"]);
      expect(await textOf("a/file")).toBe("content");
    });
  });
}

/** The files taken away and brought back under generations. */
export function storageStatesContract(open: Open): void {
  describe("the states of its storage", () => {
    let runtime: ProjectRuntime;
    let restart: (() => Promise<void>) | undefined;
    beforeEach(async () => {
      ({ runtime, restart } = await open());
    });
    const conflict = { code: "conflict" };
    const everyChange = (): Promise<unknown>[] => [
      runtime.writeFile("new", bytesOf("x")),
      runtime.writeStream("new", chunked(bytesOf("x")), 10),
      runtime.makeDirectory("new"),
      runtime.rename("file", "moved"),
      runtime.remove("file", { recursive: false }),
      runtime.exec("true", { timeoutMs: HANGS_MS }),
      runtime.openShell(crypto.randomUUID(), { command: "/bin/bash", columns: 80, rows: 24 }),
      runtime.startProcess("app", { command: "sleep 1" }),
      runtime.replaceEntries(inTurn([entryOf("new", "x")])),
    ];
    const everyRead = (): Promise<unknown>[] => [
      runtime.stat("file"),
      runtime.list("", { recursive: true }),
      runtime.readFile("file"),
      runtime.readStream("file"),
      runtime.inventory(),
      runtime.readEntries(["file"]),
    ];

    it("allow reading and no change while frozen", async () => {
      await runtime.writeFile("file", bytesOf("kept"));
      await runtime.freeze(1);
      await refused(everyChange(), "unavailable");
      expect(await runtime.readFile("file")).toEqual(bytesOf("kept"));
      expect(await readAll(runtime, ["file"])).toHaveLength(1);
      expect((await runtime.inventory()).map(({ path }) => path)).toEqual(["file"]);
      await restart?.();
      expect(await runtime.storageState()).toEqual({ state: "frozen", generation: 1 });
      await refused([runtime.writeFile("new", bytesOf("x"))], "unavailable");
      await runtime.thaw(2);
      await runtime.writeFile("file", bytesOf("changed"));
      expect(await runtime.storageState()).toEqual({ state: "present", generation: 2 });
    });

    it("end what runs when they freeze", async () => {
      const command = runtime.exec("until [ -e never ]; do date > running; sleep 0.02; done", {
        timeoutMs: HANGS_MS,
      });
      await appears(runtime, "running");
      const upload = new TransformStream<Uint8Array, Uint8Array>();
      const writing = runtime.writeStream("upload", upload.readable, 100).catch((error: unknown) => error);
      const writer = upload.writable.getWriter();
      await writer.write(bytesOf("x"));
      await runtime.freeze(1);
      const frozen = await runtime.inventory();
      expect((await command).exitCode).not.toBe(0);
      // Whether its other end was told already does not matter.
      await writer.close().catch(() => undefined);
      expect(await writing).toMatchObject({ code: "unavailable" });
      expect(await runtime.inventory()).toEqual(frozen);
    });

    it("refuse reads and changes once the files are discarded, until others take their place", async () => {
      await runtime.writeFile("file", bytesOf("gone"));
      await runtime.writeTodos("chat", "[1]");
      await runtime.freeze(3);
      await runtime.discard(3);
      await runtime.discard(3);
      await restart?.();
      expect(await runtime.storageState()).toEqual({ state: "absent", generation: 3 });
      await refused([...everyRead(), ...everyChange()], "asleep");
      await refused([runtime.freeze(4), runtime.thaw(4)], "asleep");
      expect(await runtime.readTodos("chat")).toBe("[1]");

      const broken = new Error("broken off");
      await expect(runtime.replaceEntries(inTurn([entryOf("a", "x")], broken), 4)).rejects.toBe(broken);
      expect((await runtime.storageState()).state).toBe("absent");
      await runtime.replaceEntries(inTurn([entryOf("back", "here")]), 4);
      expect(await runtime.storageState()).toEqual({ state: "present", generation: 4 });
      expect(await runtime.readFile("back")).toEqual(bytesOf("here"));
    });

    it("follow the newest generation, and refuse what comes under an older one", async () => {
      await runtime.freeze(5);
      await runtime.freeze(5);
      await expect(runtime.freeze(4)).rejects.toMatchObject(conflict);
      await expect(runtime.thaw(4)).rejects.toMatchObject(conflict);
      await expect(runtime.discard(4)).rejects.toMatchObject(conflict);
      await runtime.freeze(6);
      await expect(runtime.discard(5)).rejects.toMatchObject(conflict);
      await runtime.thaw(7);
      await expect(runtime.discard(7)).rejects.toMatchObject(conflict);
      await runtime.thaw(8);
      await expect(runtime.freeze(7)).rejects.toMatchObject(conflict);
      await expect(runtime.replaceEntries(inTurn([]), 7)).rejects.toMatchObject(conflict);
      expect(await runtime.storageState()).toEqual({ state: "present", generation: 8 });
    });

    it("let no files in that were on their way when they froze", async () => {
      await runtime.writeFile("file", bytesOf("kept"));
      const arrived = Promise.withResolvers<void>();
      const frozen = Promise.withResolvers<void>();
      async function* slowly() {
        yield entryOf("new", "x");
        arrived.resolve();
        await frozen.promise;
        yield entryOf("newer", "x");
      }
      const replaced = runtime.replaceEntries(slowly(), 1).catch((error: unknown) => error);
      await arrived.promise;
      await runtime.freeze(1);
      frozen.resolve();
      expect(await replaced).toMatchObject({ code: "unavailable" });
      expect((await runtime.inventory()).map(({ path }) => path)).toEqual(["file"]);
    });
  });
}

async function refused(calls: Promise<unknown>[], code: string): Promise<void> {
  const outcomes = await Promise.all(
    calls.map((call) => call.then(() => "done").catch((error: unknown) => error)),
  );
  for (const outcome of outcomes) expect(outcome).toMatchObject({ code });
}
