import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf } from "./bytes.ts";
import { inTurn, readAll } from "./entries.ts";
import type { Open } from "./under-test.ts";

const NAME = "n".repeat(200);
/** Directories in one another, and the bytes of their path: more than a path may have anywhere. */
const DEPTH = 25;
const LONGEST = 4096;
/** A shell's loop that goes down so many directories and makes them as it goes. */
const descend = (depth: number) => `for i in $(seq ${depth}); do mkdir ${NAME}; cd ${NAME} || exit 9; done`;

/** Too long paths are refused or left out; the other files can be exported and removed whatever a program has created. */
export function longPathsContract(open: Open): void {
  describe("paths of more than 4,096 bytes", () => {
    let runtime: ProjectRuntime;
    beforeEach(async () => {
      ({ runtime } = await open());
    });
    const run = (command: string) => runtime.exec(command, { timeoutMs: HANGS_MS });
    const lengths = async () => (await runtime.inventory()).map(({ path }) => bytesOf(path).length);

    it("are in the way of no snapshot, however a command goes about making them", async () => {
      await runtime.writeFile("kept", bytesOf("kept"));
      await run(`${descend(DEPTH)}; echo deep > file`);
      await run("mkdir -p " + "d/".repeat(3_000));
      await run(
        `mkdir -p ${`${NAME}/`.repeat(19)}; mkdir -p more/${`${NAME}/`.repeat(19)} && mv more ${`${NAME}/`.repeat(15)}`,
      );
      await run(`cp -r ${NAME} ${`${NAME}/`.repeat(3)}copy; ln -s target ${`${NAME}/`.repeat(15)}link`);
      const inventory = await runtime.inventory();
      const paths = inventory.map(({ path }) => path);
      expect(paths).toContain("kept");
      expect(Math.max(...(await lengths()))).toBeLessThanOrEqual(LONGEST);
      expect(await runtime.list("", { recursive: true })).toHaveLength(paths.length);

      const read = await readAll(runtime, paths);
      expect(read.map(({ entry }) => entry.path)).toEqual(paths);
      const entries = read.map(({ entry, bytes }) => ({ entry, content: inTurnBytes(bytes) }));
      const { runtime: other } = await open();
      await other.replaceEntries(inTurn(entries));
      expect((await other.inventory()).map(({ path }) => path)).toEqual(paths);
    });

    it("can be removed, and replaced, with what holds them", async () => {
      await run(`mkdir deep; cd deep; ${descend(DEPTH)}; echo deep > file`);
      await runtime.remove("deep", { recursive: true });
      expect(await lengths()).toEqual([]);
      await run(`${descend(DEPTH)}; echo deep > file`);
      await runtime.replaceEntries(inTurn([]));
      expect((await run("ls -A")).stdout).toBe("");
    });

    it("are refused in every call that names one", async () => {
      const long = `${`${NAME}/`.repeat(DEPTH)}file`;
      const nested = long.split("/").map((_, depth, names) => ({
        entry: {
          path: names.slice(0, depth + 1).join("/"),
          kind: "directory" as const,
          size: 0,
          mode: 0o755,
          modifiedAt: 0,
          target: "",
        },
        content: inTurnBytes(new Uint8Array()),
      }));
      await runtime.writeFile("kept", bytesOf("kept"));
      for (const call of [
        () => runtime.writeFile(long, bytesOf("x")),
        () => runtime.makeDirectory(long),
        () => runtime.rename("kept", long),
        () => runtime.replaceEntries(inTurn(nested)),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: "invalid_input" });
      }
      expect((await runtime.inventory()).map(({ path }) => path)).toContain("kept");
    });
  });
}

async function* inTurnBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
