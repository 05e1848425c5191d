import path from "node:path";
import { startNeon } from "#stand-ins/neon/index.ts";
import { startQueue } from "#stand-ins/queue/index.ts";
import { tick } from "#src/domain/schedules/runs/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { createDb } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { newTrips } from "#src/platform/trips.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { findServer, makeDatabase } from "#test/db/growth/scratch.ts";
import { NotPossible, type Figure, type Measurement } from "../measurement.ts";

const DUE = 5_000;
const AT_ONCE = 10;
/** Seconds between two ticks. */
const INTERVAL = 60;
/** Nothing is delivered: the queue only stores. */
const NOWHERE = "http://127.0.0.1:9";

/** Rows of schedules that are due: $1 a person, $2 a project, $3 how many, $4 cron, $5 how long they are due. */
const INSERT = `
  INSERT INTO schedules (id, user_id, project_id, name, schedule, normalized_cron, timing, timezone, anchor_at,
    prompt_template, deliver, edit_mode, next_run_at)
  SELECT gen_random_uuid(), $1, $2, 'Issues', $4, $4, jsonb_build_object('kind', 'cron', 'cron', $4::text),
    'Europe/London', now(), 'Summarise the open issues', 'none', 'allow', date_trunc('minute', now()) - $5::interval
  FROM generate_series(1, $3)`;

export const schedules: Measurement = {
  name: "schedules",
  title: "A large tick",
  how:
    `${DUE.toLocaleString("en")} schedules are due at once, on a real PostgreSQL, with the local queue, which stores the ` +
    "messages and delivers none. Enqueued: their runs are stored and their messages are in the queue. What becomes due in the " +
    "meantime comes after them and is not counted. CPU is that of Node with all of it but PostgreSQL.",
  async run(bench) {
    const server = await findServer();
    if (!server) throw new NotPossible("there is no PostgreSQL; TEST_DATABASE_URL names one");
    await using opened = await open(server, path.join(bench.dataDir, "large-tick"));
    const usual = await measure(opened, { cron: "0 9 * * 1-5", late: "0 seconds", ticks: 1 });
    const shared = await measure(opened, { cron: "0 9 * * 1-5", late: "0 seconds", ticks: AT_ONCE });
    const off = await measure(opened, { cron: "* * * * *", late: "1 day", ticks: 1 });
    return [
      enqueued("one tick", usual),
      { what: "one tick: db, each", value: each(usual.db), unit: "", goal: { atMost: 0.1 } },
      { what: "one tick: publishes, each", value: each(usual.publishes), unit: "", goal: { atMost: 0.1 } },
      { what: "one tick: CPU, each", value: each(usual.cpuMs), unit: "ms" },
      enqueued(`${AT_ONCE} ticks at once`, shared),
      { what: `${AT_ONCE} ticks at once: db, each`, value: each(shared.db), unit: "", goal: { atMost: 0.1 } },
      enqueued("every minute, after a day off", off),
      { what: "every minute, after a day off: CPU, each", value: each(off.cpuMs), unit: "ms" },
    ];
  },
};

const each = (value: number): number => value / DUE;

function enqueued(what: string, { seconds }: Cost): Figure {
  return { what: `${what}: all enqueued`, value: seconds, unit: "s", goal: { atMost: INTERVAL } };
}

/** What it took to enqueue all. */
interface Cost {
  seconds: number;
  db: number;
  publishes: number;
  cpuMs: number;
}

type Opened = Awaited<ReturnType<typeof open>>;

async function open(server: string, dataDir: string) {
  await using started = new AsyncDisposableStack();
  const { databaseUrl, drop } = await makeDatabase(server, async () => {});
  started.defer(drop);
  const bridge = await startNeon({ dataDir, databaseUrl });
  started.defer(() => bridge.close());
  const local = await startQueue({ dataDir, publicUrl: NOWHERE, deliverTo: NOWHERE, log: () => {} });
  started.defer(() => local.close());
  const trips = newTrips();
  const db = createDb({ databaseUrl: bridge.databaseUrl, httpUrl: bridge.httpUrl, trips });
  const person = await newColleague(db);
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id: projectId } = await createProject({ db }, person.caller, wish);
  const owned = started.move();
  return {
    db,
    trips,
    pool: bridge.pool,
    queue: createQueue({ url: local.url, token: local.token, publicUrl: NOWHERE, trips }),
    person: { id: person.id, projectId },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function measure(
  { db, trips, pool, queue, person }: Opened,
  { cron, late, ticks }: { cron: string; late: string; ticks: number },
): Promise<Cost> {
  await pool.query("DELETE FROM schedules");
  await pool.query(INSERT, [person.id, person.projectId, DUE, cron, late]);
  await pool.query("ANALYZE schedules");
  let stored = 0;
  let continued = 0;
  let cost: Cost | undefined;
  const counted: Queue = {
    ...queue,
    publish: async (message) => {
      await queue.publish(message);
      continued += 1;
    },
    publishBatch: async (messages) => {
      await queue.publishBatch(messages);
      stored += messages.length;
      // Schedules of every minute are due again when a minute has passed; the oldest moments come first.
      if (stored >= DUE) cost ??= costSoFar();
    },
  };
  Object.assign(trips, newTrips());
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const costSoFar = (): Cost => {
    const { user, system } = process.cpuUsage(cpu);
    return {
      seconds: (performance.now() - begun) / 1000,
      db: trips.db,
      publishes: trips.publish,
      cpuMs: (user + system) / 1000,
    };
  };
  const one = () => tick({ db, queue: counted, log: createLog() }, { overdueSeconds: 0 });
  await Promise.all(Array.from({ length: ticks }, one));
  // A tick that has worked for long leaves the rest to another delivery.
  for (; continued > 0; continued -= 1) if (stored < DUE) await one();
  if (!cost) throw new Error(`${stored} of ${DUE} runs were enqueued`);
  return cost;
}
