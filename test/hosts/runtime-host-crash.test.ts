import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostWorkspaces } from "#src/platform/runtime/host/index.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { NO_BUBBLEWRAP, SKIPPED } from "./support/runtime-host.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const isRunning = (marker: string) => execFileSync("ps", ["-A", "-o", "args="]).toString().includes(marker);

/** Opens a file under a number far above all others, as a shell or supervisor may have, and becomes the host. */
const WITH_AN_OPEN_FILE = 'exec 40</etc/hostname; exec "$0" "$@"';

async function* nothing() {}

describe.skipIf(NO_BUBBLEWRAP)(`a runtime host in a process of its own${SKIPPED}`, () => {
  let dataDir: string;
  const running = new Set<{ kill: () => Promise<void> }>();
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), "runtime-host-"));
  });
  afterAll(async () => {
    for (const host of running) await host.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start() {
    const command = [process.execPath, "test/hosts/support/runtime-host-process.ts", dataDir];
    const child = spawn("bash", ["-c", WITH_AN_OPEN_FILE, ...command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [url] = await once(createInterface({ input: child.stdout }), "line");
    const workspaces = hostWorkspaces(String(url), { db: 0, publish: 0, objects: 0 });
    const host = {
      runtime: (id: string) => workspaces.runtime(id),
      async kill() {
        running.delete(host);
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
    running.add(host);
    return host;
  }

  it("hands no file that it was started with to a sandbox, takes all that it runs along when it is killed, finds the projects again, and says which files are lost", async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const [emptied, removed, unused] = [randomUUID(), randomUUID(), randomUUID()];
    const host = await start();
    const look =
      "for each in 1 self; do readlink /proc/$each/fd/40; ls /proc/$each/fd > /dev/null && echo $each; done";
    const { stdout } = await host.runtime(one).exec(look, { timeoutMs: HANGS_MS });
    expect(stdout).toBe("1\nself\n");
    await host.runtime(one).writeFile("file", bytes("of one"));
    // In the middle of a program, a command, a start, and on the way out of the files.
    await host.runtime(one).startProcess("server", { command: `bash -c 'exec -a served-${one} sleep 1000'` });
    const command = host
      .runtime(one)
      .exec(`setsid bash -c 'exec -a detached-${one} sleep 1000' & sleep 1000`, { timeoutMs: HANGS_MS });
    command.catch(() => undefined);
    const areRunning = () => [isRunning(`served-${one} 1000`), isRunning(`detached-${one} 1000`)];
    await expect.poll(areRunning).toEqual([true, true]);
    await host.runtime(two).writeFile("file", bytes("of two"));
    await host.runtime(two).freeze(1);
    for (const lost of [emptied, removed]) await host.runtime(lost).writeFile("file", bytes("kept"));
    expect(await host.runtime(unused).storageState()).toMatchObject({ state: "present" });
    const starting = host.runtime(three).writeFile("file", bytes("of three"));
    starting.catch(() => undefined);
    await host.kill();
    await expect(command).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(areRunning).toEqual([false, false]);

    // The files of one are gone, and the whole folder of another.
    rmSync(join(dataDir, "projects", emptied, "files"), { recursive: true });
    rmSync(join(dataDir, "projects", removed), { recursive: true });
    const again = await start();
    expect(await again.runtime(one).readFile("file")).toEqual(bytes("of one"));
    expect(await again.runtime(one).processes()).toEqual([]);
    expect(await again.runtime(two).storageState()).toEqual({ state: "frozen", generation: 1 });
    expect(await again.runtime(two).readFile("file")).toEqual(bytes("of two"));
    await again.runtime(two).discard(1);
    expect(await again.runtime(unused).storageState()).toEqual({ state: "present", generation: 0 });
    for (const lost of [emptied, removed]) {
      const runtime = again.runtime(lost);
      await expect(runtime.readFile("file")).rejects.toMatchObject({ code: "asleep" });
      await expect(runtime.git("status", {})).rejects.toMatchObject({ code: "asleep" });
      expect(await runtime.storageState()).toEqual({ state: "absent", generation: 0, lost: true });
      await runtime.replaceEntries(nothing(), 1);
      expect(await runtime.storageState()).toEqual({ state: "present", generation: 1 });
      expect(await runtime.readFile("file")).toBeUndefined();
      await runtime.freeze(2);
      await runtime.discard(2);
    }
    await again.kill();

    const last = await start();
    expect(await last.runtime(two).storageState()).toEqual({ state: "absent", generation: 1 });
    await expect(last.runtime(two).readFile("file")).rejects.toMatchObject({ code: "asleep" });
    await last.runtime(three).writeFile("file", bytes("of three"));
    for (const lost of [emptied, removed])
      expect(await last.runtime(lost).storageState()).toEqual({ state: "absent", generation: 2 });
  });
});
