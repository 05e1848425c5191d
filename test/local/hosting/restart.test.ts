import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { seeded } from "#test/support/random.ts";
import { TOKEN, until, visit } from "../support/hosting.ts";

const KILLS = 8;
const HEROKU = { accept: "application/vnd.heroku+json; version=3" };

let dataDir: string;
let child: ChildProcess;
let url: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "hosting-"));
});
afterEach(async () => {
  await kill();
  rmSync(dataDir, { recursive: true });
});

async function start(): Promise<void> {
  const program = path.join(import.meta.dirname, "../support/hosting-process.ts");
  const started = spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const [line] = await once(started.stdout, "data");
  url = String(line).trim();
}

async function kill(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function post<T>(at: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(url + at, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${at}: ${response.status}`);
  return JSON.parse(await response.text());
}

async function deployToVercel(name: string): Promise<void> {
  const files = [{ file: "index.html", data: name }];
  await post("/vercel/v13/deployments", { name, files, target: "production", projectSettings: {} });
}

async function deployToHeroku(name: string): Promise<void> {
  await post("/heroku/apps", { name }, HEROKU);
  const source = await post<{ source_blob: { put_url: string; get_url: string } }>(
    "/heroku/sources",
    {},
    HEROKU,
  );
  const entries = [
    { header: { name: "package.json", size: 2 }, body: "{}" },
    { header: { name: "public/index.html", size: name.length }, body: name },
  ];
  const body = gzipSync(await packTar(entries));
  const put = await fetch(source.source_blob.put_url, { method: "PUT", body });
  if (!put.ok) throw new Error(`PUT: ${put.status}`);
  await post(`/heroku/apps/${name}/builds`, { source_blob: { url: source.source_blob.get_url } }, HEROKU);
}

it("loses nothing that it acknowledged, wherever it is killed", async () => {
  const random = seeded(inject("fuzzSeed"));
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    await start();
    const deploy = async (at: number) => {
      const name = `site-${round}-${at}`;
      await (at % 2 === 0 ? deployToVercel(name) : deployToHeroku(name));
      acknowledged.push(name);
    };
    // In some rounds only after one was acknowledged: on a slow machine none may be, before the moment has come.
    if (random.chance(0.3)) await deploy(4);
    const work = Promise.allSettled([0, 1, 2, 3].map(deploy));
    await pause(random.between(0, 120));
    await kill();
    await work;
  }
  await start();
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const name of acknowledged) {
    const page = await until(
      () => visit(url, `${name}.localhost`, "/"),
      ({ status }) => status === 200,
    );
    expect(page.body).toBe(name);
  }
  const response = await fetch(`${url}/_standin/deployments`);
  const phases = JSON.parse(await response.text()).map(({ phase }: { phase: string }) => phase);
  expect(new Set(phases)).toEqual(new Set(["ready"]));
});
