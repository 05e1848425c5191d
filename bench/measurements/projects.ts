import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { NO_BUBBLEWRAP } from "#test/hosts/support/runtime-host.ts";
import { apiClient } from "#test/support/api-client.ts";
import { startGitServer } from "#test/support/git-server.ts";
import type { Bench } from "../bench.ts";
import { HttpClient } from "../http-client.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { p50, timed } from "../statistics.ts";

const run = promisify(execFile);

const ROUNDS = 100;
const COMMANDS = 25;
const REPOSITORY_FILES = 2_000;
const MEBIBYTE = 1024 * 1024;
/** In files of 10 MiB. */
const SNAPSHOT_MEBIBYTES = 200;

const DRIVERS = ["embedded", ...(NO_BUBBLEWRAP === undefined ? ["host"] : [])];

const Clone = z.object({ status: z.string(), error: z.string().nullable() });
const Snapshot = z.object({ hash: z.string() });

export const projects: Measurement = {
  name: "projects",
  title: "Projects, on each runtime of this machine",
  how:
    "Over HTTP, one request after the other. Commands: POST /api/agent/execute. Clone: from asking for it until a poll " +
    "every 20 ms sees it done, beside `git clone --depth=1` of the same repository from the same server. Snapshot and " +
    "restore: 200 MiB of random bytes in 20 files, none of which was stored before.",
  async run(bench) {
    const figures: Figure[] = [];
    for (const driver of DRIVERS) figures.push(...(await measure(bench, driver)));
    return figures;
  },
};

async function measure(bench: Bench, driver: string): Promise<Figure[]> {
  const { service } = await bench.use({ PROJECT_RUNTIME: driver, OUTBOUND_ALLOW_PRIVATE: "true" });
  const api = apiClient(service.url);
  const { token } = await api.signUp("bench");
  const http = new HttpClient(service.url, token);
  try {
    const { id } = await api.newProject(token);
    const figures = [
      ...(await filesAndCommands(http, id)),
      ...(await clone(http, (await api.newProject(token)).id)),
      ...(await snapshot(http, service.url, token, id)),
    ];
    return figures.map((figure) => ({ ...figure, what: `${driver}: ${figure.what}` }));
  } finally {
    http.close();
  }
}

async function filesAndCommands(http: HttpClient, id: string): Promise<Figure[]> {
  const file = `/api/projects/${id}/files/bench.txt`;
  const command = { project_id: id, command: "true" };
  const writes: number[] = [];
  const reads: number[] = [];
  const commands: number[] = [];
  await http.request("POST", "/api/agent/execute", command);
  for (let round = 0; round < ROUNDS; round += 1) {
    const content = `${round}`.padEnd(1024, ".");
    writes.push(await timed(() => http.request("PUT", file, { content })));
    reads.push(await timed(() => http.request("GET", file)));
  }
  for (let round = 0; round < COMMANDS; round += 1) {
    commands.push(await timed(() => http.request("POST", "/api/agent/execute", command)));
  }
  return [
    { what: "write of 1 kB, p50", value: p50(writes), unit: "ms" },
    { what: "read of 1 kB, p50", value: p50(reads), unit: "ms" },
    { what: "command `true`, p50", value: p50(commands), unit: "ms" },
  ];
}

async function clone(http: HttpClient, id: string): Promise<Figure[]> {
  const git = await startGitServer();
  const target = mkdtempSync(path.join(tmpdir(), "bench-clone-"));
  try {
    const files = Array.from({ length: REPOSITORY_FILES }, (_, index): [string, string] => [
      `src/${index % 50}/file-${index}.ts`,
      `export const value${index} = ${index};\n`.repeat(20),
    ]);
    const url = git.create("bench", Object.fromEntries(files));
    // The git server is in this process, so the clone must not block it.
    const plain = await timed(() =>
      run("git", ["clone", "--quiet", "--depth=1", url, path.join(target, "plain")]),
    );
    const own = await timed(async () => {
      await http.request("POST", "/api/git/clone", { project_id: id, repo_url: url });
      for (;;) {
        const { status, error } = parseJson(
          (await http.request("GET", `/api/projects/${id}/git/clone`)).body,
          Clone,
        );
        if (status === "cloned") return;
        if (status === "failed") throw new Error(String(error));
        await pause(20);
      }
    });
    return [
      { what: `clone of ${REPOSITORY_FILES} files by git itself`, value: plain, unit: "ms" },
      { what: `clone of ${REPOSITORY_FILES} files`, value: own, unit: "ms" },
    ];
  } finally {
    await git.close();
    rmSync(target, { recursive: true, force: true });
  }
}

async function snapshot(http: HttpClient, url: string, token: string, id: string): Promise<Figure[]> {
  for (let file = 0; file < SNAPSHOT_MEBIBYTES / 10; file += 1) {
    const answer = await fetch(`${url}/api/projects/${id}/files/raw?path=large/${file}.bin`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: randomBytes(10 * MEBIBYTE),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const address = `${url}/api/projects/${id}/snapshots`;
  const ask = async (where: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(where, { method: "POST", headers, body: "{}" });
    const body = await answer.text();
    if (!answer.ok) throw new Error(body);
    return body;
  };
  let hash = "";
  const taken = await timed(async () => {
    hash = parseJson(await ask(address), Snapshot).hash;
  });
  await http.request("PUT", `/api/projects/${id}/files/large/0.bin`, { content: "gone" });
  const restored = await timed(() => ask(`${address}/${hash}/restore`));
  return [
    { what: "snapshot", value: SNAPSHOT_MEBIBYTES / (taken / 1000), unit: "MiB/s" },
    { what: "restore", value: SNAPSHOT_MEBIBYTES / (restored / 1000), unit: "MiB/s" },
  ];
}
