import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const bytesOf = (text: string) => encoder.encode(text);
const MEGABYTE = 1024 * 1024;

/** What every project runtime keeps, whatever runs behind it. Each test gets a project of its own. */
export function projectRuntimeContract(name: string, create: () => Promise<ProjectRuntime>): void {
  describe(`${name} as a project runtime`, () => {
    let runtime: ProjectRuntime;
    beforeEach(async () => {
      runtime = await create();
    });
    const textOf = async (path: string) => {
      const bytes = await runtime.readFile(path);
      return bytes && decoder.decode(bytes);
    };
    const pathsIn = async (path: string, options: { recursive: boolean; exclude?: readonly string[] }) =>
      (await runtime.list(path, options)).map((entry) => entry.path);
    const run = (command: string) => runtime.exec(command, { timeoutMs: 20_000 });

    describe("files", () => {
      it.each([
        ["every byte", Uint8Array.from({ length: 256 }, (_, index) => index)],
        ["nothing", new Uint8Array()],
        ["text that is not ASCII", bytesOf("déjà vu 🙂\r\n\0end")],
        ["a little over a megabyte", randomBytes(MEGABYTE + 1)],
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

      it.each([3, 10 * MEGABYTE])(
        "keeps the old file when a body breaks off after %i bytes",
        async (size) => {
          await runtime.writeFile("file", bytesOf("old"));
          const body = breakingOff(randomBytes(size));
          await expect(runtime.writeStream("file", body, 64 * MEGABYTE)).rejects.toBeInstanceOf(Error);
          expect(await textOf("file")).toBe("old");
        },
      );

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

    describe("directories", () => {
      it("lists one level or all, parents first, by name", async () => {
        for (const path of ["b/two", "b/one", "b-c", "a/x/deep"])
          await runtime.writeFile(path, bytesOf(path));
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
        const large = randomBytes(2 * MEGABYTE);
        await runtime.writeFile("from/large", large);
        await run("mkdir -p from/many; for i in $(seq 1 1200); do : > from/many/$i; done");
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

      it("removes a file, and a directory with all it holds only when asked to", async () => {
        for (const path of ["dir/one", "dir/sub/two", "dirt"]) await runtime.writeFile(path, bytesOf(""));
        await expect(runtime.remove("missing", { recursive: true })).rejects.toMatchObject({
          code: "not_found",
        });
        await expect(runtime.remove("dir", { recursive: false })).rejects.toMatchObject({ code: "conflict" });
        await runtime.remove("dir/one", { recursive: false });
        await runtime.remove("dir", { recursive: true });
        expect(await pathsIn("", { recursive: true })).toEqual(["dirt"]);
      });

      it("does not remove the root", async () => {
        await expect(runtime.remove("", { recursive: true })).rejects.toMatchObject({
          code: "invalid_input",
        });
      });
    });

    describe("commands", () => {
      it("tells output, errors and exit code apart", async () => {
        expect(await run("echo out; echo err >&2; exit 3")).toEqual({
          stdout: "out\n",
          stderr: "err\n",
          exitCode: 3,
          timedOut: false,
        });
      });

      it("sees the project's files and changes them", async () => {
        await runtime.writeFile("src/a.txt", bytesOf("one\ntwo\n"));
        expect(
          await run("grep -c . src/a.txt && sed -i s/two/2/ src/a.txt && cp src/a.txt src/b.txt"),
        ).toMatchObject({
          stdout: "2\n",
          exitCode: 0,
        });
        expect(await textOf("src/a.txt")).toBe("one\n2\n");
        expect(await textOf("src/b.txt")).toBe("one\n2\n");
      });

      it("starts in the directory it is told, with the variables it is given", async () => {
        await runtime.writeFile("src/here", bytesOf(""));
        const result = await runtime.exec('ls; echo "$GREETING"', {
          cwd: "src",
          env: { GREETING: "hello 'you'" },
          timeoutMs: 20_000,
        });
        expect(result.stdout).toBe("here\nhello 'you'\n");
        await expect(runtime.exec("ls", { cwd: "missing", timeoutMs: 20_000 })).rejects.toMatchObject({
          code: "not_found",
        });
      });

      it("keeps bytes and letters as they are", async () => {
        const content = Uint8Array.from({ length: 256 }, (_, index) => index);
        await runtime.writeFile("binary", content);
        await run("cat binary binary > twice; cp binary copy; echo 'déjà 🙂' > text; cat text text > texts");
        expect(same(await runtime.readFile("copy"), content)).toBe(true);
        expect(same(await runtime.readFile("twice"), Uint8Array.from([...content, ...content]))).toBe(true);
        expect(await textOf("texts")).toBe("déjà 🙂\ndéjà 🙂\n");
        expect((await run("cat text")).stdout).toBe("déjà 🙂\n");
      });

      it("ends at its timeout with 124", async () => {
        const started = Date.now();
        const result = await runtime.exec("echo before; sleep 600", { timeoutMs: 300 });
        expect(result).toMatchObject({ exitCode: 124, timedOut: true });
        expect(Date.now() - started).toBeLessThan(5000);
      });

      it("ends when its signal does, with 130", async () => {
        const controller = new AbortController();
        const pending = runtime.exec(": > started; sleep 600", {
          timeoutMs: 60_000,
          signal: controller.signal,
        });
        while (!(await runtime.stat("started"))) await runtime.stat("");
        controller.abort();
        expect(await pending).toMatchObject({ exitCode: 130, timedOut: false });
      });

      it("does not begin when its signal has ended already", async () => {
        const result = await runtime.exec(": > began", { timeoutMs: 1000, signal: AbortSignal.abort() });
        expect(result.exitCode).toBe(130);
        expect(await runtime.stat("began")).toBeUndefined();
      });

      it.each([
        "while true; do :; done",
        "f() { f | f & }; f",
        "i=0; while ((i >= 0)); do ((i++)); done",
        "awk 'BEGIN { while (1) i++ }'",
        "echo a | sed ':a;s/a/a/;ta'",
        "until false; do echo x > file; done",
      ])("is not hung by %s", async (command) => {
        const result = await runtime.exec(command, { timeoutMs: 2000 });
        expect(result.exitCode).not.toBe(0);
        expect(await runtime.stat("")).toBeDefined();
      });

      it("bounds its output, keeping both ends", async () => {
        const { stdout } = await run(
          "echo first; for i in $(seq 1 40); do printf '%0100000d' 0; done; echo last",
        );
        expect(stdout.length).toBeLessThan(2 * MEGABYTE);
        expect(stdout.startsWith("first\n")).toBe(true);
        expect(stdout.endsWith("last\n")).toBe(true);
      });

      it("loses nothing when commands and writes meet", async () => {
        const appends = Array.from({ length: 10 }, (_, index) => run(`echo line ${index} >> log`));
        const writes = Array.from({ length: 10 }, (_, index) =>
          runtime.writeFile(`out/${index}`, bytesOf(`${index}`)),
        );
        await Promise.all([...appends, ...writes]);
        const lines = (await textOf("log"))?.trimEnd().split("\n").toSorted();
        expect(lines).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index}`));
        expect(await runtime.list("out", { recursive: false })).toHaveLength(10);
      });

      it("has no network", async () => {
        const result = await run("curl -s http://127.0.0.1/ || wget http://127.0.0.1/");
        expect(result.exitCode).not.toBe(0);
      });
    });

    describe("symbolic links", () => {
      beforeEach(async () => {
        await runtime.writeFile("src/real.txt", bytesOf("real"));
      });

      it("follows those that stay inside", async () => {
        await run("ln -s real.txt src/link; ln -s src dir; ln -s ../src/real.txt src/up");
        expect(await textOf("src/link")).toBe("real");
        expect(await textOf("dir/real.txt")).toBe("real");
        expect(await textOf("src/up")).toBe("real");
        await runtime.writeFile("dir/new.txt", bytesOf("new"));
        expect(await textOf("src/new.txt")).toBe("new");
        expect(await runtime.stat("src/link")).toMatchObject({ kind: "symlink" });
      });

      it.each(["../../etc/passwd", "/etc/passwd", "..", "/"])("never follows one to %s", async (target) => {
        await run(`ln -s ${target} out`);
        const refused = { code: "invalid_input" };
        await expect(runtime.readFile("out")).rejects.toMatchObject(refused);
        await expect(runtime.readFile("out/passwd")).rejects.toMatchObject(refused);
        await expect(runtime.readStream("out")).rejects.toMatchObject(refused);
        await expect(runtime.writeFile("out", bytesOf("x"))).rejects.toMatchObject(refused);
        await expect(runtime.writeFile("out/new", bytesOf("x"))).rejects.toMatchObject(refused);
        await expect(runtime.list("out", { recursive: true })).rejects.toMatchObject(refused);
        expect((await runtime.list("", { recursive: true })).map((entry) => entry.path)).toContain("out");
        expect((await run("cat out")).exitCode).not.toBe(0);
        await runtime.remove("out", { recursive: false });
        expect(await runtime.stat("out")).toBeUndefined();
      });

      it("is not caught in a circle", async () => {
        await run("ln -s two one; ln -s one two; ln -s . src/self");
        await expect(runtime.readFile("one")).rejects.toMatchObject({ code: "invalid_input" });
        expect(await textOf("src/self/self/self/real.txt")).toBe("real");
        expect(await runtime.list("", { recursive: true })).toHaveLength(5);
      });

      it("removes and moves the link, not what it leads to", async () => {
        await run("ln -s src dir");
        await runtime.rename("dir", "moved");
        await runtime.remove("moved", { recursive: true });
        expect(await textOf("src/real.txt")).toBe("real");
      });
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

/** A content that compresses badly and repeats late, so that a lost or doubled part shows. */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)));
  }
  return bytes;
}

export function chunked(content: Uint8Array, chunkBytes = 100_000): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= content.length) return controller.close();
      controller.enqueue(content.slice(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
}

function breakingOff(content: Uint8Array): ReadableStream<Uint8Array> {
  const reader = chunked(content).getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the client is gone");
      controller.enqueue(value);
    },
  });
}

async function collect(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** Comparing megabytes with `toEqual` takes a minute and prints them. */
export function same(actual: Uint8Array | undefined, expected: Uint8Array): boolean {
  return actual?.length === expected.length && actual.every((byte, index) => byte === expected[index]);
}
