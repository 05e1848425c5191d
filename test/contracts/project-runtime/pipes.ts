import { beforeEach, describe, expect, it, vi } from "vitest";
import { PIPE_END } from "#src/platform/runtime/project-pipes.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { collectGarbage } from "#test/support/collect-garbage.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { appears } from "./appears.ts";
import { bytesOf, textFrom } from "./bytes.ts";
import type { Open } from "./under-test.ts";

/** What the output of a program that has ended ends with. */
const ended = (exitCode: number, errors = "") => `\n${PIPE_END}${JSON.stringify({ exitCode, errors })}\n`;

/** The output of a program that nobody reads: 256 MiB if it were taken. */
const BLOCK_BYTES = 64 * 1024;
const BLOCKS = 4096;
/** Most that pipes and connections on the way hold of it. */
const MOST_UNREAD_BYTES = 32 * 1024 * 1024;

/** Programs whose input and output are a caller's. For runtimes that run programs. */
export function pipesContract(open: Open): void {
  describe("programs on a pipe", () => {
    let runtime: ProjectRuntime;
    let id: string;
    beforeEach(async () => {
      ({ runtime } = await open());
      id = crypto.randomUUID();
    });
    const bash = (script: string, env = {}) =>
      runtime.openPipe(id, { file: "bash", args: ["-c", script], env });
    /** Whether a process runs whose command line has this. */
    const runs = async (marker: string) => {
      const { stdout } = await runtime.exec(`pgrep -fc "[${marker[0]}]${marker.slice(1)}"`, {
        timeoutMs: HANGS_MS,
      });
      return Number(stdout) > 0;
    };

    const written = async () => Number(textFrom((await runtime.readFile("written")) ?? bytesOf("0")));

    it("read what is written, answer as it comes, and say how they ended", async () => {
      await runtime.writeFile("here.txt", bytesOf("here"));
      const script =
        'cat here.txt; while read -r line; do echo "$GREETING $line"; [ "$line" = end ] && break; done; echo oops >&2; exit 3';
      const output = await bash(script, { GREETING: "hello" });
      let text = "";
      for await (const chunk of output) {
        if (text === "") {
          await runtime.writePipe(id, "one\n");
          await runtime.writePipe(id, "end\n");
        }
        text += textFrom(chunk);
      }
      expect(text).toBe(`herehello one\nhello end\n${ended(3, "oops\n")}`);
      await expect(runtime.writePipe(id, "more\n")).rejects.toMatchObject({ code: "conflict" });
    });

    it("are started without a shell", async () => {
      const output = await runtime.openPipe(id, { file: "echo", args: ["$HOME; false", "b c"] });
      expect(await new Response(output).text()).toBe(`$HOME; false b c\n${ended(0)}`);
      const missing = runtime.openPipe(crypto.randomUUID(), { file: "no-such-program", args: [] });
      await expect(missing).rejects.toMatchObject({
        code: "unavailable",
        message: "This runtime has no no-such-program",
      });
    });

    it("are started in a directory of the project, and nowhere else", async () => {
      await runtime.writeFile("inner/file.txt", bytesOf("inside"));
      const output = await runtime.openPipe(id, { file: "cat", args: ["file.txt"], cwd: "inner" });
      expect(await new Response(output).text()).toBe(`inside${ended(0)}`);
      await runtime.exec("ln -s / out", { timeoutMs: HANGS_MS });
      for (const [cwd, code] of [
        ["missing", "not_found"],
        ["../", "invalid_input"],
        ["out", "invalid_input"],
      ] as const) {
        const opened = runtime.openPipe(crypto.randomUUID(), { file: "true", args: [], cwd });
        await expect(opened).rejects.toMatchObject({ code });
      }
    });

    it("wait while nobody reads them: what they write is not gathered anywhere", async () => {
      // Each block is counted once it is written; a runtime that gathered them would come to the end.
      const script = `block=$(printf '%0${BLOCK_BYTES}d' 0); for ((n = 1; n <= ${BLOCKS}; n++)); do printf %s "$block"; echo $n > written; done`;
      const output = await bash(script);
      let before = 0;
      await expect
        .poll(
          async () => {
            const last = before;
            before = await written();
            return before > 0 && before === last;
          },
          { interval: 500 },
        )
        .toBe(true);
      expect(before * BLOCK_BYTES).toBeLessThan(MOST_UNREAD_BYTES);
      // All of it is there for who reads on.
      let size = 0;
      for await (const chunk of output) {
        size += chunk.length;
        if (size > MOST_UNREAD_BYTES) break;
      }
      expect(size).toBeGreaterThan(MOST_UNREAD_BYTES);
    });

    it("end with all that they started once nobody reads them", async () => {
      // One child has a session of its own, and one holds the output.
      const output = await bash("(setsid sleep 86311 &) ; sleep 86311 & : > forked; cat");
      await appears(runtime, "forked");
      await expect.poll(() => runs("sleep 86311")).toBe(true);
      await output.cancel();
      await expect.poll(() => runs("sleep 86311")).toBe(false);
    });

    it("end with what they leave behind, and with the runtime's programs", async () => {
      const left = await bash("sleep 86322 & exit 0");
      expect(await new Response(left).text()).toBe(ended(0));
      await expect.poll(() => runs("sleep 86322")).toBe(false);
      id = crypto.randomUUID();
      const stopped = await bash("exec sleep 86322");
      await runtime.stopProcesses();
      // The stream says so, or breaks off with the runtime.
      const text = await new Response(stopped).text().catch(() => ended(137));
      expect(text).toBe(ended(137));
      await expect.poll(() => runs("sleep 86322")).toBe(false);
    });

    it("are at most 20, also while one writes without end that nobody reads", async () => {
      const output = await bash("yes");
      // Programs of other tests that are being ended count until they are gone.
      const others = Array.from({ length: 19 }, () =>
        vi.waitFor(() => runtime.openPipe(crypto.randomUUID(), { file: "cat", args: [] })),
      );
      const opened = await Promise.all(others);
      // Outputs that wait to be read are held by nothing but this test.
      await collectGarbage();
      await expect(runtime.openPipe(crypto.randomUUID(), { file: "cat", args: [] })).rejects.toMatchObject({
        code: "unavailable",
        message: "The project runs 20 such programs already; try again",
      });
      await Promise.all([output, ...opened].map((each) => each.cancel()));
      await expect
        .poll(async () => {
          const again = await runtime
            .openPipe(crypto.randomUUID(), { file: "true", args: [] })
            .catch(() => undefined);
          return again && new Response(again).text();
        })
        .toBe(ended(0));
    });
  });
}
