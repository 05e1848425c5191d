import { existsSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WORKSPACE_SERVER } from "#hosts/runtime-host/sandbox-command.ts";
import { descendants, signal } from "#hosts/runtime-host/process-table.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { NO_BUBBLEWRAP, SKIPPED, startTestHost, type TestHost } from "./support/runtime-host.ts";

const MEBIBYTE = 1024 * 1024;

/** Asks a server of the project to run a command. */
const connect = (to: string) =>
  `node -e 'require("net").connect(${to}).on("error", () => process.exit(3)).end("touch reached")'`;

/** Ids of the servers in the sandboxes of this process. */
function workspaceServers(): number[] {
  const command = [...WORKSPACE_SERVER, "serve"].join("\0");
  const all = descendants(process.pid).map(({ pid }) => pid);
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(command);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

/** Whether a process is stopped, as the host stops what it is about to end. */
function isStopped(pid: number): boolean {
  try {
    return /^State:\s+T/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false; // it has ended meanwhile
  }
}

/** Small enough to be reached at once. */
const limits = {
  memoryBytes: 256 * MEBIBYTE,
  tasks: 120,
  cpuPercent: 200,
  diskBytes: 64 * MEBIBYTE,
};

describe.skipIf(NO_BUBBLEWRAP)(`a sandbox${SKIPPED}`, () => {
  let host: TestHost;
  let service: http.Server;
  let servicePort: number;
  let runtime: ProjectRuntime;
  let id: string;

  beforeAll(async () => {
    service = http.createServer((_, response) => response.end("the service"));
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const address = service.address();
    servicePort = address instanceof Object ? address.port : 0;
    host = await startTestHost({ limits });
  });
  afterAll(async () => {
    service?.close();
    await host?.close();
  });
  beforeEach(() => {
    ({ id, runtime } = host.newProject());
  });
  const run = (command: string, timeoutMs = HANGS_MS) => runtime.exec(command, { timeoutMs });

  describe("that goes over a limit", () => {
    it("loses the fork bomb, and nothing else of what it runs", async () => {
      await runtime.startProcess("server", { command: "sleep 1000" });
      const bomb = await run("bomb() { bomb | bomb & }; bomb; sleep 1000");
      expect(bomb).toMatchObject({ exitCode: 137, timedOut: false });
      expect(bomb.stderr).toContain("The project is over its limit of 120 processes and threads");
      expect(await runtime.processes()).toMatchObject([{ name: "server", running: true }]);
      expect((await run("echo still here")).stdout).toBe("still here\n");
    });

    it("loses the fork bomb alone, also while its server is slow to respond", async () => {
      await runtime.startProcess("server", { command: "sleep 1000" });
      const bomb = run(
        "touch begun; until [ -e go ]; do sleep 0.1; done; bomb() { bomb | bomb & }; bomb; sleep 1000",
      );
      await vi.waitUntil(() => runtime.stat("begun"));
      const servers = workspaceServers();
      for (const pid of servers) signal(pid, "SIGSTOP");
      writeFileSync(join(host.dataDir, "projects", id, "files", "go"), "");
      const others = () => descendants(process.pid).filter(({ pid }) => !servers.includes(pid));
      await vi.waitUntil(() => others().some(({ pid }) => isStopped(pid)));
      // For longer than the host looks at a project that stays over its limit, before it ends all of it.
      await pause(2_000);
      for (const pid of servers) signal(pid, "SIGCONT");
      expect(await bomb).toMatchObject({ exitCode: 137, timedOut: false });
      expect(await runtime.processes()).toMatchObject([{ name: "server", running: true }]);
    });

    it("loses the command that takes the memory, and says so where that is seen before the memory has run out", async () => {
      const all = "const all = []; const take = (n) => all.push(Buffer.alloc(n << 20, 1))";
      const fast = await run(`node -e '${all}; for (;;) take(8)'`);
      expect(fast.exitCode).toBe(137);
      // It stays between the limit and what the kernel allows at most.
      const slow = await run(
        `node -e '${all}; take(160); setInterval(() => all.length < 31 && take(2), 100)'`,
      );
      expect(slow.exitCode).toBe(137);
      expect(slow.stderr).toContain("The project is over its memory limit of 256 MiB");
      expect((await run("echo still here")).stdout).toBe("still here\n");
    });

    it("loses the file that fills the disk, and stores no more until something is deleted", async () => {
      await runtime.writeFile("kept", new TextEncoder().encode("kept"));
      const filler = await run(
        "for i in 1 2 3 4 5 6 7 8; do head -c 32M /dev/zero > fill$i; done; sleep 1000",
      );
      expect(filler.exitCode).toBe(137);
      expect(filler.stderr).toContain("The project is over its disk limit of 64 MiB");
      await expect(runtime.writeFile("more", new Uint8Array(1))).rejects.toMatchObject({
        code: "too_large",
        message: "The project is over its disk limit of 64 MiB",
      });
      expect(await runtime.readFile("kept")).toEqual(new TextEncoder().encode("kept"));
      for (const { path } of await runtime.list("", { recursive: true })) {
        if (path.startsWith("fill")) await runtime.remove(path, { recursive: false });
      }
      await expect
        .poll(() =>
          runtime.writeFile("more", new Uint8Array(1)).then(
            () => "stored",
            () => "refused",
          ),
        )
        .toBe("stored");
    });

    it("loses what runs too long, with all that has detached itself from it", async () => {
      const command = "setsid sh -c 'while :; do date > alive; sleep 0.05; done' & sleep 1000";
      expect(await run(command, 1_000)).toMatchObject({ exitCode: 124, timedOut: true });
      // What was killed is listed until the kernel has cleaned up.
      await expect.poll(async () => (await run("ps -A -o args= | grep -c '[w]hile'")).stdout).toBe("0\n");
      await run("rm -f alive");
      expect((await run("sleep 0.3; ls")).stdout).toBe("");
    });
  });

  describe("that wants out", () => {
    it("sees neither the service's folders nor its variables", async () => {
      const secret = "SECRET-OF-THE-SERVICE";
      process.env["HOST_TEST_SECRET"] = secret;
      writeFileSync(join(host.dataDir, "secret-key"), secret);
      const { stdout } = await run(
        `cat '${host.dataDir}/secret-key' '${process.cwd()}/package.json' /etc/shadow; ls '${host.dataDir}' /work /root /home /proc/1/root/;
         cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; env; cat /etc/passwd`,
      );
      delete process.env["HOST_TEST_SECRET"];
      expect(stdout).not.toContain(secret);
      expect(stdout).not.toContain("agent-workspace-service");
      expect(stdout.split("\n")).not.toContain("projects");
    });

    it("gets no further through the file API", async () => {
      await run("ln -s / root; ln -s /proc/1/root proc; ln -s ../../.. up; ln -s /etc/passwd passwd");
      for (const path of ["root/etc/passwd", "proc/etc/passwd", "up/etc/passwd", "passwd"]) {
        await expect(runtime.readFile(path)).rejects.toMatchObject({ code: "invalid_input" });
        await expect(runtime.writeFile(path, new Uint8Array(1))).rejects.toMatchObject({
          code: "invalid_input",
        });
      }
    });

    it("reaches no port of the machine, with the proxy or without", async () => {
      const { stdout } = await run(
        `for port in ${servicePort} 5432 ${new URL(host.url()).port}; do
           curl -s --noproxy '*' -m 60 http://127.0.0.1:$port && echo reached
           curl -s --noproxy 'nothing' -m 60 http://127.0.0.1:$port/
           curl -s --noproxy 'nothing' -m 60 -p http://127.0.0.1:$port/ || echo refused
         done
         curl -s -m 60 http://169.254.169.254/ ; curl -s -m 60 http://localhost.:${servicePort}/ `,
      );
      expect(stdout).not.toContain("the service");
      expect(stdout).not.toContain("reached");
      expect(stdout).toContain("private or special network");
      expect(stdout.match(/^refused$/gmu)).toHaveLength(3);
    });

    it("changes nothing of the machine's programs and becomes no other user", async () => {
      const { stdout, stderr } = await run(
        `for file in /usr/bin/evil /etc/evil /opt/workspace/evil /evil /dev/evil /run/evil; do touch $file && echo made; done
         mount -t tmpfs none /tmp && echo mounted
         unshare --map-root-user true && echo unshared
         chroot / true && echo chrooted
         node -e 'process.setuid(0); console.log("root")'
         grep -E '^Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status`,
      );
      expect(stdout.split("\n").filter((line) => /^[a-z]+$/u.test(line))).toEqual([]);
      expect(stdout).toMatch(/CapEff:\s+0000000000000000/u);
      expect(stdout).toMatch(/CapBnd:\s+0000000000000000/u);
      expect(stdout).toMatch(/NoNewPrivs:\s+1/u);
      expect(stderr).toContain("Read-only file system");
    });

    it("sees no process, no socket and no file of another project", async () => {
      const other = host.newProject();
      await other.runtime.writeFile("secret", new TextEncoder().encode("of the other"));
      await other.runtime.startProcess("server", {
        command: `node -e 'require("net").createServer(s => s.end("of the other")).listen("\\0other"); setInterval(() => {}, 1000)' marker-of-the-other`,
      });
      const { stdout } = await run(
        `ps -A -o args=; ls -R /app /run /tmp; cat /proc/net/unix; node -e 'require("net").connect("\\0other").on("data", d => console.log(String(d))).on("error", e => console.log(e.code))'`,
      );
      expect(stdout).not.toContain("of-the-other");
      expect(stdout).not.toContain("of the other");
      expect(stdout).toContain("ECONNREFUSED");
      expect(stdout).not.toContain(other.id);
    });

    it("reaches nothing that runs in the project by a command that may change nothing", async () => {
      const server = `const { execSync } = require("child_process");
        require("net").createServer((s) => s.on("data", (d) => execSync(String(d)))).listen("door.sock");
        require("net").createServer((s) => s.on("data", (d) => execSync(String(d)))).listen(4567, "127.0.0.1");`;
      await runtime.writeFile("server.js", new TextEncoder().encode(server));
      await runtime.startProcess("server", { command: "node server.js" });
      // It holds both ends of the pipe: a writer that is slow to close would end a reader that opens the pipe for each line.
      await runtime.startProcess("reader", {
        command: 'mkdir -p deep; mkfifo deep/pipe; while read -r line; do sh -c "$line"; done <> deep/pipe',
      });
      const exitCode = async (command: string) => (await run(command)).exitCode;
      await expect.poll(() => exitCode("test -p deep/pipe && test -S door.sock")).toBe(0);
      const attack = async (command: string) =>
        (await runtime.exec(command, { timeoutMs: HANGS_MS, readOnly: true })).exitCode;
      expect(await attack(connect('"door.sock"'))).toBe(3);
      expect(await attack(connect('4567, "127.0.0.1"'))).toBe(3);
      expect(await attack("echo 'touch reached' > deep/pipe")).not.toBe(0);
      expect(await attack("pgrep -f server.js; kill -9 -1")).not.toBe(0);
      expect(await runtime.stat("reached")).toBeUndefined();
      // The same ways lead there where a command may change files.
      await run("echo 'touch reached' > deep/pipe");
      await expect.poll(() => exitCode("test -f reached")).toBe(0);
      expect(await runtime.processes()).toMatchObject([{ running: true }, { running: true }]);
    });

    it("leads the service to no other server by a link in place of its own", async () => {
      await run("rm -rf /run/workspace/*; ln -s /run/outbound.sock /run/workspace/server.sock");
      expect((await run("echo same")).stdout).toBe("same\n");
      expect(existsSync(join(host.dataDir, "projects", id, "server.sock"))).toBe(true);
    });
  });

  it("is replaced when its server is killed or stuck", async () => {
    await runtime.writeFile("kept", new Uint8Array(1));
    await run("kill -9 -1").catch(() => undefined);
    await expect
      .poll(() =>
        run("echo back").then(
          ({ stdout }) => stdout,
          () => "",
        ),
      )
      .toBe("back\n");
    expect(await runtime.stat("kept")).toMatchObject({ size: 1 });
  });

  it("leaves nothing behind when its project is destroyed, and nothing comes back", async () => {
    await runtime.writeFile("file", new Uint8Array(1));
    await run("mkdir -p locked/in; touch locked/in/file; chmod 000 locked/in locked");
    await runtime.destroy();
    await runtime.destroy();
    await expect(runtime.writeFile("file", new Uint8Array(1))).rejects.toMatchObject({ code: "not_found" });
    await host.restart();
    await expect(run("true")).rejects.toMatchObject({ code: "not_found" });
    expect(existsSync(join(host.dataDir, "projects", id, "files"))).toBe(false);
  });
});
