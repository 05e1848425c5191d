import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readConfiguration } from "#local/configuration.ts";
import { startStack } from "#local/stack.ts";
import { StartError } from "#local/start-error.ts";
import { createDatabase, type ServerDatabase } from "#test/support/server-database.ts";
import { StartedService } from "./support/started-service.ts";

const folder = mkdtempSync(path.join(tmpdir(), "start-"));
const dataDir = path.join(folder, "data");
/** The embedded database takes seconds of a core to open: a start that is about something else has another one, where there is a server. */
let external: ServerDatabase | undefined;

// The bundle is there: prepare.ts has made one, in an empty folder.
beforeAll(async () => {
  const server = process.env["TEST_DATABASE_URL"];
  if (server) external = await createDatabase(server, inject("templateDatabase"));
  cpSync(path.join(inject("template"), "build"), path.join(dataDir, "build"), { recursive: true });
  execFileSync("chmod", ["-R", "go=", dataDir]);
});
afterAll(async () => {
  await external?.drop();
  rmSync(folder, { recursive: true, force: true });
});

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

/** The lines for people of a start that fails. */
async function refusalOf(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const configuration = readConfiguration({ PORT: "0", DATA_DIR: dataDir, ...environment });
  const failed: unknown = await startStack(configuration, { log: () => {} }).catch((error: unknown) => error);
  if (failed instanceof StartError) return failed.lines;
  throw new Error(`It is no refusal: ${String(failed)}`);
}

const secrets = () =>
  ["secret-key", "queue-secret"].map((name) => readFileSync(path.join(dataDir, name), "utf8"));

describe("npm start", () => {
  it("closes an older folder to others, lets no second one use it, and takes its workerd along when it is killed", async () => {
    chmodSync(dataDir, 0o755);
    const killed = new StartedService({ dataDir });
    await killed.ready();
    await expect.poll(() => killed.stderr).toContain(`other users could read ${dataDir} (mode 755)`);
    expect(await refusalOf({})).toEqual([`DATA_DIR: ${dataDir} is in use by a service that is running`]);
    killed.process.kill("SIGKILL");
    await expect.poll(() => processesOf(dataDir)).toEqual([]);
  });

  it("serves the same data again, says so in one line, leaves no program behind when npm is told to stop, and no file that others may read", async () => {
    const kept = secrets();
    const service = new StartedService({ dataDir, command: ["npm", "--silent", "start"] });
    const url = await service.ready();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect(secrets()).toEqual(kept);
    service.process.kill("SIGTERM");
    expect(await service.exitCode()).toBe(0);
    expect(service.stdout).toBe(`ready ${url}\n`);
    await expect.poll(() => processesOf(dataDir)).toEqual([]);

    for (const secret of kept) expect(secret).toMatch(/^[0-9a-f]{64}$/u);
    // PGlite writes PostgreSQL's cache of its own catalogue anew, in a folder that only the owner enters.
    const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
      ({ name }) => name !== "pg_internal.init",
    );
    const open = entries.filter(
      (entry) => (statSync(path.join(entry.parentPath, entry.name)).mode & 0o077) !== 0,
    );
    expect(open.map(({ name }) => name)).toEqual([]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it("stops while it is still starting", async () => {
    const service = new StartedService({
      dataDir,
      environment: { DATABASE_URL: external?.databaseUrl ?? "" },
    });
    // At once: a look every now and then could come when it is ready.
    service.process.stderr?.on("data", () => {
      if (service.stderr.includes("Starting")) service.process.kill("SIGTERM");
    });
    expect(await service.exitCode()).toBe(0);
    expect(service.stdout).toBe("");
    await expect.poll(() => processesOf(dataDir)).toEqual([]);
  });
});

describe("a start is refused, with the variable that is to be changed,", () => {
  it("where its port is taken", async () => {
    const holder = net.createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    const port = address instanceof Object ? String(address.port) : "";
    expect(await refusalOf({ PORT: port })).toEqual([`PORT: ${port} on 127.0.0.1 is already in use`]);
    holder.close();
  });

  it("where its data directory cannot be written", async () => {
    const file = path.join(folder, "a-file");
    writeFileSync(file, "");
    const [line] = await refusalOf({ DATA_DIR: path.join(file, "data") });
    expect(line).toMatch(/^DATA_DIR: cannot write to .*a-file\/data/u);
  });

  it("where the database does not answer", async () => {
    const [line] = await refusalOf({ DATABASE_URL: "postgres://user@127.0.0.1:9/none" });
    expect(line).toMatch(/^DATABASE_URL: the database did not open/u);
  });

  it("where Redis does not answer", async () => {
    const [line] = await refusalOf({ REDIS_URL: "redis://127.0.0.1:9" });
    expect(line).toMatch(/^REDIS_URL: Redis did not answer/u);
  });

  it("by a process that ends with 1 and says nothing else", async () => {
    const service = new StartedService({ dataDir, environment: { PORT: "http" } });
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr).toMatch(/^PORT: /u);
    expect(service.stdout).toBe("");
  });
});
