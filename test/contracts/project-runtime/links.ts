import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, textAt } from "./bytes.ts";
import type { Open } from "./under-test.ts";

export function linksContract(open: Open, { contained }: { contained: boolean }): void {
  let runtime: ProjectRuntime;
  let mount: string;
  const textOf = (path: string) => textAt(runtime, path);
  const run = (command: string) => runtime.exec(command, { timeoutMs: HANGS_MS });

  describe("symbolic links", () => {
    beforeEach(async () => {
      ({ runtime, mount } = await open());
      await runtime.writeFile("src/real.txt", bytesOf("real"));
    });

    it("follows those that stay inside", async () => {
      await run("ln -s real.txt src/link; ln -s src dir; ln -s ../src/real.txt src/up");
      await run(`ln -s ${mount}/src/real.txt absolute`);
      expect(await textOf("absolute")).toBe("real");
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
      // A sandbox has an /etc/passwd of its own, and what is not contained sees the machine's.
      const isClosed = contained && !runtime.runsProcesses;
      expect(isClosed && (await run("cat out")).exitCode === 0).toBe(false);
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
}
