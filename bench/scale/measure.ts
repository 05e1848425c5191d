import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { readConfiguration } from "#local/configuration.ts";
import { startStack } from "#local/stack.ts";
import { createDatabase } from "#test/support/server-database.ts";
import { ServiceLog } from "../service-log.ts";
import { eventsPath, newTaskClient, type TaskClient } from "../task-client.ts";
import { startCountingProxy } from "./counting-proxy.ts";
import { DatabaseCpu, workerCpuMs } from "./cpu-time.ts";
import { MEASURED_FILE, type MeasuredTask } from "./measured.ts";
import { SHORT, TYPICAL, type Profile } from "./profiles.ts";
import { readTaskLogs } from "./task-log-files.ts";
import { Tally } from "./tally.ts";

/** Disabled, because limits that slow callers down would dominate the figures. */
const UNLIMITED = { USER_RATE_PER_MINUTE: "0", CHAT_RATE_PER_MINUTE: "0", KEY_RATE_BURST: "0" };
const LIMITED = {
  ...UNLIMITED,
  // The limiter is called on every request, as deployed, but never refuses.
  KEY_RATE_BURST: "1000000",
  USER_MAX_CONCURRENT_AGENTS: "1000",
  PROJECT_MAX_CONCURRENT_AGENTS: "1000",
  USER_ENQUEUE_RATE_PER_10S: "10000",
};

const WARM_UP = 40;
/** Tasks without pauses, for bytes and the database's work, and how many run at once. */
const HURRIED = { tasks: 200, atOnce: 4 };
/** Tasks with pauses, for writes, calls and the Worker's work; all at once. */
const PACED = { tasks: 20, atOnce: 20 };

/**
 * `npm run bench:scale:measure -- --server postgres://…`: runs tasks of both kinds on the whole local stack and writes
 * the cost of one task to `measured.json`. The PostgreSQL server must be on this machine, because its CPU time is read
 * from /proc; a temporary database is created there. Takes about four minutes.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { server: { type: "string" } } });
  if (values.server === undefined)
    throw new Error("Pass --server postgres://…, the address of a server on this machine");
  const dataDir = mkdtempSync(path.join(tmpdir(), "workspace-scale-"));
  const database = await createDatabase(values.server);
  const client = new Client({ connectionString: database.databaseUrl });
  await client.connect();
  try {
    const measured = await measure({ dataDir, databaseUrl: database.databaseUrl, client });
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(MEASURED_FILE, `${JSON.stringify({ date, ...measured }, null, 2)}\n`);
  } finally {
    await client.end();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure({
  dataDir,
  databaseUrl,
  client,
}: {
  dataDir: string;
  databaseUrl: string;
  client: Client;
}): Promise<Record<Profile["name"], MeasuredTask>> {
  const tally = new Tally();
  let addresses: Readonly<Record<string, string>> = {};
  const database = await startCountingProxy(() => addresses["NEON_HTTP_URL"] ?? "");
  const deliveries = await startCountingProxy(
    () => addresses["PUBLIC_URL"] ?? "",
    (name, headers) => tally.note(name, headers),
  );
  const stack = await startStack(
    readConfiguration({ PORT: "0", DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...LIMITED }),
    {
      log: () => {},
      reroute: (variables) => {
        addresses = variables;
        return { ...variables, NEON_HTTP_URL: `${database.url}/sql`, PUBLIC_URL: deliveries.url };
      },
    },
  );
  const cpu = new DatabaseCpu(client, new URL(databaseUrl).pathname.slice(1));
  const results = new Map<Profile["name"], { hurried: Counts; paced: Counts }>();
  try {
    const person = await newTaskClient(stack.url);
    const log = new ServiceLog(dataDir);
    const counting = { client, person, tally, log, cpu, bytes: () => database.bytes };
    await runAll(counting, SHORT.hurried, { tasks: WARM_UP, atOnce: 4 });
    await runAll(counting, TYPICAL.hurried, { tasks: WARM_UP / 4, atOnce: 4 });
    for (const profile of [SHORT, TYPICAL]) {
      const hurried = await runAll(counting, profile.hurried, HURRIED);
      const paced = profile.paced && (await runAll(counting, profile.paced, PACED));
      results.set(profile.name, { hurried, paced: paced || hurried });
    }
    person.http.close();
    person.person.close();
  } finally {
    cpu.stop();
    await stack.close();
    await database.close();
    await deliveries.close();
  }
  const logs = readTaskLogs(dataDir);
  const of = (profile: Profile): MeasuredTask => {
    const found = results.get(profile.name);
    if (!found) throw new Error(`${profile.name} was not run`);
    const { hurried, paced } = found;
    const log = (what: "bytes" | "events" | "eventRows" | "eventBytes" | "writes") =>
      mean(paced.taskIds.map((id) => logs.get(id)?.[what] ?? Number.NaN));
    return {
      turns: profile.turns,
      toolCalls: profile.toolCalls,
      seconds: round(paced.seconds, 1),
      deliveries: paced.deliveries,
      trips: paced.trips,
      workerCpuMs: round(paced.workerCpuMs, 1),
      database: {
        cpuMs: round(hurried.databaseCpuMs, 1),
        bytesStored: hurried.databaseBytes,
        bytesRead: Math.round(hurried.bytesRead),
      },
      log: {
        bytes: Math.round(log("bytes")),
        events: round(log("events"), 1),
        eventRows: round(log("eventRows"), 1),
        eventBytes: Math.round(log("eventBytes")),
        writes: round(log("writes"), 1),
      },
    };
  };
  return { short: of(SHORT), typical: of(TYPICAL) };
}

interface Counting {
  client: Client;
  person: TaskClient;
  tally: Tally;
  log: ServiceLog;
  cpu: DatabaseCpu;
  /** Bytes that the database has returned so far. */
  bytes: () => number;
}

/** The cost of one task, averaged over many. */
interface Counts extends ReturnType<Tally["perTask"]> {
  taskIds: string[];
  seconds: number;
  workerCpuMs: number;
  databaseCpuMs: number;
  databaseBytes: Record<string, number>;
  bytesRead: number;
}

async function runAll(
  { client, person, tally, log, cpu, bytes }: Counting,
  message: string,
  { tasks, atOnce }: { tasks: number; atOnce: number },
): Promise<Counts> {
  const taskIds: string[] = [];
  const seconds: number[] = [];
  await log.untilQuiet();
  const before = {
    worker: workerCpuMs(),
    database: await cpu.total(),
    sizes: await sizesOf(client),
    read: bytes(),
  };
  tally.clear();
  let left = tasks;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      const { taskId, answer } = await person.invoke(message);
      tally.note("invoke", answer.headers);
      const headers = await person.http.events(eventsPath(taskId), () => {});
      tally.note("events", headers);
      taskIds.push(taskId);
      seconds.push((performance.now() - start) / 1000);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  // Also waits for what follows the last task.
  const logged = await log.untilQuiet();
  for (const each of logged) if (each.message !== "request") tally.add(each);
  return {
    taskIds,
    seconds: mean(seconds),
    workerCpuMs: (workerCpuMs() - before.worker) / tasks,
    databaseCpuMs: ((await cpu.total()) - before.database) / tasks,
    databaseBytes: growth(before.sizes, await sizesOf(client), tasks),
    bytesRead: (bytes() - before.read) / tasks,
    ...tally.perTask(tasks),
  };
}

/** Bytes of each table with its indexes. */
async function sizesOf(client: Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** By table, for one task; smaller values are the growth of a page or two. */
const LEAST_BYTES = 100;

function growth(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  tasks: number,
): Record<string, number> {
  const each = [...after].map(
    ([name, bytes]) => [name, Math.round((bytes - (before.get(name) ?? 0)) / tasks)] as const,
  );
  return Object.fromEntries(each.filter(([, bytes]) => bytes >= LEAST_BYTES));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

await main();
