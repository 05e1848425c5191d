import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ShellOptions } from "#src/platform/runtime/project-shells.ts";
import { bytesOf, textFrom } from "./bytes.ts";
import type { Open } from "./under-test.ts";
import { appears } from "./appears.ts";

/** Shell sessions: what a person types, and what a terminal shows for it. */
export function shellsContract(open: Open): void {
  describe("shell sessions", () => {
    let runtime: ProjectRuntime;
    let mount: string;
    let restart: (() => Promise<void>) | undefined;
    beforeEach(async () => {
      ({ runtime, mount, restart } = await open());
    });
    const openShell = async (options: Partial<ShellOptions> = {}) => {
      const id = crypto.randomUUID();
      await runtime.openShell(id, { command: "/bin/bash", columns: 80, rows: 24, ...options });
      return id;
    };
    /** Everything that is shown until the session is over. */
    const toTheEnd = async (id: string, position = 0) =>
      new Response(await runtime.watchShell(id, position)).text();
    /** Watch until this is shown. */
    const until = async (id: string, shown: string | RegExp) => {
      let text = "";
      for await (const chunk of await runtime.watchShell(id, 0)) {
        text += textFrom(chunk);
        if (typeof shown === "string" ? text.includes(shown) : shown.test(text)) return text;
      }
      throw new Error(`Over without ${String(shown)}: ${text}`);
    };
    const typed = async (text: string, options: Partial<ShellOptions> = {}) => {
      const id = await openShell(options);
      await runtime.writeShell(id, text);
      return toTheEnd(id);
    };

    it("run what is written to them, and end with `exit`", async () => {
      await runtime.writeFile("here.txt", bytesOf("x"));
      const id = await openShell();
      await runtime.writeShell(id, "ls\nexit 3\n");
      const shown = await toTheEnd(id);
      expect(shown).toContain("here.txt\r\n");
      const output = await runtime.readShell(id, 0);
      expect(output).toMatchObject({ start: 0, ended: true, exitCode: 3 });
      expect(textFrom(output.data)).toBe(shown);
      expect(output.end).toBe(output.data.length);
      await expect(runtime.writeShell(id, "ls\n")).rejects.toMatchObject({ code: "conflict" });
    });

    it("keep the directory and the variables from line to line", async () => {
      await runtime.makeDirectory("src/deep");
      const shown = await typed(
        'cd src\nGREETING=hello\ncd deep\nfalse\necho "status $?"\necho "$GREETING $GIVEN in $PWD"\nexit\n',
        { env: { GIVEN: "you" } },
      );
      expect(shown).toContain("status 1\r\n");
      expect(shown).toContain(`hello you in ${mount}/src/deep\r\n`);
    });

    it("begin in the directory they are told", async () => {
      await runtime.makeDirectory("src");
      expect(await typed("pwd\nexit\n", { cwd: "src" })).toContain(`${mount}/src\r\n`);
      await expect(openShell({ cwd: "missing" })).rejects.toMatchObject({ code: "not_found" });
    });

    it("take commands of more than one line", async () => {
      const shown = await typed(
        'for i in 1 2; do\necho "n$((i + 10))"\ndone\ncat <<END\nin $((20 + 2))\nEND\necho a |\ntr a z\nexit\n',
      );
      for (const line of ["n11\r\n", "n12\r\n", "in 22\r\n", "z\r\n"]) expect(shown).toContain(line);
    });

    it("show what is typed as it is typed, and let it be corrected", async () => {
      const id = await openShell();
      await until(id, /[$#] $/);
      await runtime.writeShell(id, "echo wrongx\u007f\u007f\u007f\u007f\u007f\u007f");
      await runtime.writeShell(id, "mended $((40 + 2))\r");
      expect(await until(id, "mended 42\r\n")).toContain("echo wrongx");
      await runtime.writeShell(id, "echo never\u0015exit 0\n");
      expect(await toTheEnd(id)).not.toContain("never\r\n");
      expect((await runtime.readShell(id, 0)).exitCode).toBe(0);
    });

    it("end what runs at Ctrl-C and go on, and end themselves at Ctrl-D", async () => {
      const id = await openShell();
      // In a group of their own: between two commands of a list Ctrl-C reaches the shell alone, and the second one runs.
      await runtime.writeShell(id, "(: > running; sleep 600)\n");
      await appears(runtime, "running");
      await runtime.writeShell(id, "\u0003");
      await until(id, "^C");
      await runtime.writeShell(id, "echo still $((1 + 1))\n");
      await until(id, "still 2\r\n");
      await runtime.writeShell(id, "\u0004");
      await toTheEnd(id);
      expect((await runtime.readShell(id, 0)).ended).toBe(true);
    });

    it("run another program than a shell to its end", async () => {
      for (const [command, shown, exitCode] of [
        ["echo once $((3 * 3)); exit 7", "once 9\r\n", 7],
        ["echo out >&2; false", "out\r\n", 1],
      ] as const) {
        const id = await openShell({ command });
        expect(await toTheEnd(id)).toBe(shown);
        expect((await runtime.readShell(id, 0)).exitCode).toBe(exitCode);
      }
    });

    it("say that a command is not there, and go on", async () => {
      const shown = await typed("no-such-command\necho )\necho after $((5 + 5))\nexit\n");
      expect(shown).toMatch(/no-such-command: command not found\r\n/);
      expect(shown).toMatch(/syntax error/);
      expect(shown).toContain("after 10\r\n");
    });

    it("hand out their output from any position", async () => {
      const id = await openShell({ command: "printf abcdef" });
      await toTheEnd(id);
      expect(await runtime.readShell(id, 2)).toMatchObject({ data: bytesOf("cdef"), start: 2, end: 6 });
      expect(await runtime.readShell(id, 6)).toMatchObject({ start: 6, end: 6, ended: true });
      expect(await toTheEnd(id, 4)).toBe("ef");
    });

    it("keep the last 10 MiB of a long output, in reads of at most one", async () => {
      const megabyte = "x".repeat(1024 * 1024);
      await runtime.writeFile("megabyte", bytesOf(megabyte));
      const files = Array.from({ length: 14 }, () => "megabyte").join(" ");
      const id = await openShell({ command: `cat ${files}; echo; echo end` });
      const shown = await toTheEnd(id, 14 * megabyte.length);
      expect(shown).toBe("\r\nend\r\n");
      const first = await runtime.readShell(id, 0);
      expect(first.start).toBeGreaterThan(megabyte.length);
      expect(first.data.length).toBeLessThanOrEqual(megabyte.length);
      expect(first).toMatchObject({ end: first.start + first.data.length, ended: false });
      const tail = 14 * megabyte.length + 7 - 10 * megabyte.length;
      expect((await runtime.readShell(id, tail)).start).toBe(tail);
    });

    it("stay as they are when they are opened again", async () => {
      const id = await openShell({ command: "echo first" });
      await toTheEnd(id);
      await runtime.openShell(id, { command: "echo second", columns: 80, rows: 24 });
      expect(await toTheEnd(id)).toBe("first\r\n");
    });

    it("are not found before they open and after they close", async () => {
      const unknown = { code: "not_found" };
      const id = await openShell();
      await runtime.resizeShell(id, 120, 40);
      await runtime.closeShell(id);
      await runtime.closeShell(id);
      for (const gone of [id, crypto.randomUUID()]) {
        await expect(runtime.writeShell(gone, "ls\n")).rejects.toMatchObject(unknown);
        await expect(runtime.readShell(gone, 0)).rejects.toMatchObject(unknown);
        await expect(runtime.watchShell(gone, 0)).rejects.toMatchObject(unknown);
        await expect(runtime.resizeShell(gone, 80, 24)).rejects.toMatchObject(unknown);
      }
    });

    it("end when everything is stopped, and stay readable", async () => {
      const id = await openShell();
      await runtime.writeShell(id, ": > running; sleep 600; : > after\n");
      await appears(runtime, "running");
      const watched = toTheEnd(id);
      await runtime.stopProcesses();
      await watched;
      expect((await runtime.readShell(id, 0)).ended).toBe(true);
      expect(await runtime.stat("after")).toBeUndefined();
    });

    it("are over after a crash", async () => {
      if (!restart) return;
      const id = await openShell();
      await runtime.writeShell(id, "echo before\n");
      await until(id, "before\r\n");
      await restart();
      const outcome = await runtime.readShell(id, 0).catch((error: unknown) => error);
      // A driver that stores output still has it; one that does not no longer knows the session.
      expect(outcome).toSatisfy(
        (read: { ended?: boolean; code?: string }) => read.ended === true || read.code === "not_found",
      );
      await expect(runtime.writeShell(id, "ls\n")).rejects.toBeInstanceOf(Error);
    });
  });
}
