import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { StartedService } from "./support/started-service.ts";

const folder = mkdtempSync(path.join(tmpdir(), "start-"));
const dataDir = path.join(folder, "data");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs whose command line or environment names the data directory. */
function processesOf(dir: string): string[] {
  const listed = execFileSync("ps", ["-eo", "pid=,stat=,args=", "e"], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return listed
    .split("\n")
    .filter((line) => line.includes(`DATA_DIR=${dir}`) && !/^\s*\d+\s+Z/u.test(line))
    .map((line) => line.trim().slice(0, 120));
}

describe("npm start", () => {
  it("serves, says so in one line, and leaves nothing behind when npm alone is told to stop", async () => {
    const service = new StartedService({ dataDir, command: ["npm", "--silent", "start"] });
    const url = await service.ready();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const told = Date.now();
    service.process.kill("SIGTERM");
    expect(await service.exitCode()).toBe(0);
    expect(Date.now() - told).toBeLessThan(20_000);
    expect(service.stdout).toBe(`ready ${url}\n`);
    expect(processesOf(dataDir)).toEqual([]);
  });

  it.each(["secret-key", "queue-secret"])("makes %s once, readable by its owner only", async (name) => {
    const file = path.join(dataDir, name);
    expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{64}$/u);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("writes nothing that other users of the machine may read", () => {
    // PGlite writes PostgreSQL's cache of its own catalogue anew, in a folder that only the owner enters.
    const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
      ({ name }) => name !== "pg_internal.init",
    );
    const open = entries.filter(
      (entry) => (statSync(path.join(entry.parentPath, entry.name)).mode & 0o077) !== 0,
    );
    expect(open.map(({ name }) => name)).toEqual([]);
    expect(entries.length).toBeGreaterThan(100);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it("closes an older folder to others, says so, and stops on SIGINT", async () => {
    chmodSync(dataDir, 0o755);
    const service = new StartedService({ dataDir });
    await service.ready();
    expect(service.stderr).toContain(`other users could read ${dataDir} (mode 755)`);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    service.process.kill("SIGINT");
    expect(await service.exitCode()).toBe(0);
    expect(processesOf(dataDir)).toEqual([]);
  });

  it("stops while it is still starting", async () => {
    const service = new StartedService({ dataDir });
    await expect.poll(() => service.stderr).toContain("Starting");
    service.process.kill("SIGTERM");
    expect(await service.exitCode()).toBe(0);
    expect(service.stdout).toBe("");
    expect(processesOf(dataDir)).toEqual([]);
  });

  it("takes its workerd along when it is killed, and starts again on the same data", async () => {
    const killed = new StartedService({ dataDir });
    await killed.ready();
    const secrets = () =>
      ["secret-key", "queue-secret"].map((name) => readFileSync(path.join(dataDir, name), "utf8"));
    const kept = secrets();
    killed.process.kill("SIGKILL");
    await expect.poll(() => processesOf(dataDir)).toEqual([]);
    const service = new StartedService({ dataDir });
    const url = await service.ready();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect(secrets()).toEqual(kept);
    const second = new StartedService({ dataDir });
    expect(await second.exitCode()).toBe(1);
    expect(second.stderr).toContain(`DATA_DIR: ${dataDir} is in use by a service that is running\n`);
    service.process.kill("SIGTERM");
    expect(await service.exitCode()).toBe(0);
  });
});

describe("a start that cannot be", () => {
  it("names a port that is taken", async () => {
    const holder = net.createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    const port = address instanceof Object ? String(address.port) : "";
    const service = new StartedService({ dataDir, environment: { PORT: port } });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toContain(`PORT: ${port} on 127.0.0.1 is already in use\n`);
    expect(service.stdout).toBe("");
    holder.close();
  });

  it("names a data directory that cannot be written", async () => {
    const file = path.join(folder, "a-file");
    writeFileSync(file, "");
    const service = new StartedService({ dataDir: path.join(file, "data") });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toMatch(/^DATA_DIR: cannot write to .*a-file\/data/mu);
  });

  it("prints one line for one bad variable", async () => {
    const service = new StartedService({ dataDir, environment: { USER_RATE_PER_MINUTE: "many" } });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toBe("USER_RATE_PER_MINUTE: must be a number\n");
  });

  it("names the database that does not answer", async () => {
    const environment = { DATABASE_URL: "postgres://user@127.0.0.1:9/none" };
    const service = new StartedService({ dataDir, environment });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toMatch(/^DATABASE_URL: the database did not open/mu);
    expect(processesOf(dataDir)).toEqual([]);
  });

  it("names the Redis that does not answer", async () => {
    const service = new StartedService({ dataDir, environment: { REDIS_URL: "redis://127.0.0.1:9" } });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toMatch(/^REDIS_URL: Redis did not answer/mu);
  });
});
