import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withLock } from "#cli/session/lock.ts";

const folder = await mkdtemp(path.join(tmpdir(), "workspace-lock-"));
const file = path.join(folder, "lock");
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = fork(path.join(import.meta.dirname, "support/nothing.mjs"));
  await once(child, "exit");
  if (child.pid === undefined) throw new Error("No process was started");
  return child.pid;
}

describe("the lock", () => {
  it("lets one work at a time", async () => {
    let [working, most] = [0, 0];
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      await new Promise(setImmediate);
      working -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
    expect(most).toBe(1);
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("is given back when the work fails", async () => {
    await expect(withLock(file, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await withLock(file, async () => "done")).toBe("done");
  });

  it("is taken over from a process that died, by one of many", async () => {
    await writeFile(file, String(await deadPid()), { mode: 0o600 });
    let [working, most] = [0, 0];
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      expect(await readFile(file, "utf8")).toBe(String(process.pid));
      working -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
    expect(most).toBe(1);
  });

  it("is taken over from a living process that had it for too long: its id is another one's by now", async () => {
    await writeFile(file, String(process.pid), { mode: 0o600 });
    const longAgo = new Date(Date.now() - 10 * 60_000);
    await utimes(file, longAgo, longAgo);
    expect(await withLock(file, async () => "done")).toBe("done");
  });
});
