import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, MEGABYTE, same, textAt } from "./bytes.ts";
import type { Open } from "./under-test.ts";
import { appears } from "./appears.ts";

export function commandsContract(
  open: Open,
  { contained, runsProcesses }: { contained: boolean; runsProcesses: boolean },
): void {
  let runtime: ProjectRuntime;
  const textOf = (path: string) => textAt(runtime, path);
  const run = (command: string) => runtime.exec(command, { timeoutMs: HANGS_MS });

  describe("commands", () => {
    beforeEach(async () => {
      ({ runtime } = await open());
    });

    it("tells output, errors and exit code apart", async () => {
      expect(await run("echo out; echo err >&2; exit 3")).toEqual({
        stdout: "out\n",
        stderr: "err\n",
        exitCode: 3,
        timedOut: false,
      });
    });

    it("says what became of a process in the background", async () => {
      const { stdout, stderr } = await run(runsProcesses ? "nohup sleep 600 & echo on" : "sleep 0 & echo on");
      const told = runsProcesses
        ? /1 process in the background was ended with the command/u
        : /runs nothing in/u;
      expect(stdout).toBe("on\n");
      expect(stderr).toMatch(told);
      expect((await run("sleep 0 && echo 'a & b' 2>&1")).stderr).toBe("");
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
        timeoutMs: HANGS_MS,
      });
      expect(result.stdout).toBe("here\nhello 'you'\n");
      await expect(runtime.exec("ls", { cwd: "missing", timeoutMs: HANGS_MS })).rejects.toMatchObject({
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
      expect(Date.now() - started).toBeLessThan(60_000);
    });

    it("ends when its signal does, with 130", async () => {
      const controller = new AbortController();
      const pending = runtime.exec(": > started; sleep 600", {
        timeoutMs: HANGS_MS,
        signal: controller.signal,
      });
      await appears(runtime, "started");
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
      "awk 'BEGIN { while (1) i++ }'",
      "until false; do echo x > file; done",
    ])("is not hung by %s", async (command) => {
      const result = await runtime.exec(command, { timeoutMs: 500 });
      expect(result.exitCode).not.toBe(0);
      expect(await runtime.stat("")).toBeDefined();
    });

    it.runIf(contained)("is not hung by what multiplies", async () => {
      // Where it takes too much, the environment may end with it: that is answered as a failure that passes.
      const bomb = runtime.exec("bomb() { bomb | bomb & }; bomb; sleep 600", { timeoutMs: 2_000 });
      const isOver = await bomb.then(
        ({ exitCode }) => exitCode !== 0,
        (error: unknown) => error instanceof AppError && error.retryable,
      );
      expect(isOver).toBe(true);
      expect(await runtime.stat("")).toBeDefined();
      expect((await runtime.exec("echo on", { timeoutMs: HANGS_MS })).stdout).toBe("on\n");
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
}
