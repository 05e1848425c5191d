import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf } from "./bytes.ts";
import type { Open } from "./under-test.ts";

/** Commands that must leave the project as it is, each in a way of its own. */
const CHANGING = [
  "rm -rf kept.txt src link",
  "echo changed > kept.txt",
  "echo more >> src/deep.txt",
  "echo changed > link; echo new > new.txt",
  [
    "mkdir -p made/deep; touch touched; rmdir empty",
    "mv kept.txt moved.txt; cp kept.txt copied.txt; ln -s kept.txt linked; ln kept.txt hard",
    "sed -i s/kept/changed/ kept.txt; chmod 777 kept.txt; touch -d 2001-01-01 kept.txt",
    "printf x | tee kept.txt new.txt; truncate -s 0 kept.txt; dd if=/dev/zero of=kept.txt count=1",
    "git init; git commit -am changed",
    'cd /tmp; rm -rf "$OLDPWD"/kept.txt; cp /etc/hosts "$OLDPWD"/kept.txt',
  ].join("\n"),
  "(sleep 0.1; rm -f kept.txt; echo late > late.txt) &",
  "setsid nohup sh -c 'sleep 0.1; rm -f kept.txt; echo late > late.txt' >/dev/null 2>&1 &",
];

/**
 * Commands that see the project read-only. A runtime that cannot do that refuses them (`refused`) and runs nothing.
 */
export function readOnlyCommandsContract(open: Open, { refused }: { refused: boolean }): void {
  let runtime: ProjectRuntime;
  // In each block: a hook outside would open a project for every test of the whole contract.
  const openEach = () => {
    beforeEach(async () => {
      ({ runtime } = await open());
    });
  };
  const run = (command: string, timeoutMs = HANGS_MS) => runtime.exec(command, { timeoutMs, readOnly: true });
  const state = async () => {
    const entries = await runtime.inventory();
    return entries.map(({ path, kind, mode, modifiedAt, target, fingerprint }) =>
      kind === "directory" ? { path, mode } : { path, mode, modifiedAt, target, fingerprint },
    );
  };
  const fill = async () => {
    await runtime.writeFile("kept.txt", bytesOf("kept\n"));
    await runtime.writeFile("src/deep.txt", bytesOf("deep\n"));
    await runtime.makeDirectory("empty");
    await runtime.exec("ln -s kept.txt link", { timeoutMs: HANGS_MS });
  };

  describe.runIf(refused)("commands that may change nothing", () => {
    openEach();

    it("are refused, with a sentence that says what to do", async () => {
      await fill();
      const before = await state();
      for (const command of ["cat kept.txt", "rm kept.txt"]) {
        await expect(run(command)).rejects.toMatchObject({
          code: "forbidden",
          message: expect.stringContaining("read-only"),
        });
      }
      expect(await state()).toEqual(before);
    });
  });

  describe.skipIf(refused)("commands that may change nothing", () => {
    openEach();

    it("read the project as others do", async () => {
      await fill();
      expect(await run("cat kept.txt link src/deep.txt; ls; exit 3")).toEqual({
        stdout: "kept\nkept\ndeep\nempty\nkept.txt\nlink\nsrc\n",
        stderr: "",
        exitCode: 3,
        timedOut: false,
      });
      const here = await runtime.exec('ls; echo "$GREETING"', {
        cwd: "src",
        env: { GREETING: "hello" },
        timeoutMs: HANGS_MS,
        readOnly: true,
      });
      expect(here.stdout).toBe("deep.txt\nhello\n");
      await expect(
        runtime.exec("ls", { cwd: "missing", timeoutMs: HANGS_MS, readOnly: true }),
      ).rejects.toMatchObject({ code: "not_found" });
    });

    it("may write beside the project, and find it empty the next time", async () => {
      expect((await run("echo scratch > /tmp/file && cat /tmp/file")).stdout).toBe("scratch\n");
      expect((await run("cat /tmp/file 2>/dev/null || echo gone")).stdout).toBe("gone\n");
    });

    it("change nothing, whatever they run", async () => {
      await fill();
      const before = await state();
      for (const command of CHANGING) {
        await run(command);
        expect({ command, after: await state() }).toEqual({ command, after: before });
      }
      const refusedWrite = await run("echo x > kept.txt");
      expect(refusedWrite.exitCode).not.toBe(0);
      expect(refusedWrite.stderr).toMatch(/read-only file system/iu);
      // Give detached processes time to write.
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(await state()).toEqual(before);
      // Others go on as before.
      expect((await runtime.exec("echo x > new.txt", { timeoutMs: HANGS_MS })).exitCode).toBe(0);
    });

    it("end at their timeout, and with their signal", async () => {
      expect(await run("echo before; sleep 600", 500)).toMatchObject({ exitCode: 124, timedOut: true });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 100);
      const options = { timeoutMs: HANGS_MS, readOnly: true, signal: controller.signal };
      expect(await runtime.exec("sleep 600", options)).toMatchObject({ exitCode: 130, timedOut: false });
    });

    it("run side by side with those that change something", async () => {
      await fill();
      const [changed, looked] = await Promise.all([
        runtime.exec("echo more >> kept.txt", { timeoutMs: HANGS_MS }),
        run("cat src/deep.txt"),
      ]);
      expect([changed.exitCode, looked.stdout]).toEqual([0, "deep\n"]);
    });
  });
}
