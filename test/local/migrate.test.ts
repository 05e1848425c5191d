import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "#local/migrate.ts";
import { startNeon } from "#stand-ins/neon/index.ts";
import { createDatabase } from "#test/support/server-database.ts";

/** The last two of the migrations before the baseline, as Drizzle recorded them. */
const NEXT_TO_LAST = {
  hash: "d3da8080082f65e259879fa8be58c438c1889572d76b15a0aac0e1e68de70afd",
  created_at: "1795713268952",
};
const LAST = {
  hash: "40d8ffabe8a233788825058381bb8972dc7d3d6bf16223631da5d755d3c7072c",
  created_at: "1795721579678",
};

let owned: AsyncDisposableStack;
/** Of an empty database. */
let pool: Pool;
beforeEach(async () => {
  await using started = new AsyncDisposableStack();
  const server = process.env["TEST_DATABASE_URL"];
  const own = server ? await createDatabase(server) : undefined;
  if (own) started.defer(() => own.drop());
  const bridge = await startNeon({ dataDir: newFolder(started), databaseUrl: own?.databaseUrl });
  started.defer(() => bridge.close());
  ({ pool } = bridge);
  owned = started.move();
});
afterEach(() => owned.disposeAsync());

function newFolder(started: AsyncDisposableStack): string {
  const folder = mkdtempSync(path.join(tmpdir(), "migrate-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of the baseline alone, whatever was added since, and what adds another migration to it. */
function newMigrations() {
  const folder = newFolder(owned);
  const journal = path.join(folder, "meta/_journal.json");
  cpSync("migrations", folder, { recursive: true });
  const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
  const write = (all: unknown[]) => writeFileSync(journal, JSON.stringify({ ...rest, entries: all }));
  /** Leaves the first ones of the folder's migrations, or all. */
  const keep = (count = entries.length) => write(entries.slice(0, count));
  keep(1);
  const add = () => {
    writeFileSync(
      path.join(folder, "0001_added.sql"),
      `ALTER TABLE "users" ADD COLUMN "added" text DEFAULT 'yes';`,
    );
    write([entries[0], { ...entries[0], idx: 1, when: entries[0].when + 1, tag: "0001_added" }]);
  };
  return { folder, add, keep };
}

/** Makes the database one that the migrations before the baseline made, with a person in it. */
async function makeEarlier(folder: string, records: readonly (typeof LAST)[]): Promise<void> {
  await migrate(pool, folder);
  await pool.query("DELETE FROM drizzle.__drizzle_migrations");
  for (const applied of records) await record(applied);
  await pool.query(
    "INSERT INTO users (id, email, username, name, slug) VALUES (gen_random_uuid(), 'ann@example.com', 'ann', 'Ann', 'ann')",
  );
}

const record = ({ hash, created_at }: typeof LAST) =>
  pool.query("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)", [
    hash,
    created_at,
  ]);

async function rowsOf(query: string): Promise<unknown[]> {
  return (await pool.query(query)).rows;
}
const recorded = () => rowsOf("SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY id");

const PERSON = crypto.randomUUID();
const PROJECT = crypto.randomUUID();
const HOUR = 3_600_000;
const before = new Date(Date.now() - HOUR);
const later = new Date(Date.now() + HOUR);

/** Stores a row as these columns say, with an id of its own where they name none. */
async function put(table: string, columns: Record<string, unknown>): Promise<string> {
  const row: Record<string, unknown> = { id: crypto.randomUUID(), ...columns };
  const values = Object.keys(row).map((_, index) => `$${index + 1}`);
  await pool.query(
    `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`,
    Object.values(row),
  );
  return String(row["id"]);
}

/** Stores a person with a project for which something is wanted, in the tables of the baseline. */
async function putProject(): Promise<void> {
  await put("users", { id: PERSON, email: "ann@example.com", username: "ann", name: "Ann", slug: "ann" });
  const team = { name: "Ann's", slug: "anns", created_by: PERSON };
  const named = { name: "p", slug: "p", source_type: "empty", status: "running", owner_id: PERSON };
  await put("projects", { ...named, id: PROJECT, team_id: await put("teams", team), wanted: "hibernated" });
}

/** Stores a chat whose row knows of these unfinished tasks. */
const putChat = (unfinished: string[] = []) =>
  put("chats", { user_id: PERSON, project_id: PROJECT, origin: "api", unfinished_tasks: unfinished });

/** Stores a task with its question, and an answer. */
async function putTask(columns: Record<string, unknown>, metadata: unknown = null): Promise<string> {
  const agent = "00000000-0000-0000-0000-000000000005";
  const of = { user_id: PERSON, project_id: PROJECT, agent_id: agent, chat_id: await putChat() };
  const id = await put("tasks", { ...of, status: "completed", message: "m", ...columns });
  const message = { chat_id: of.chat_id, task_id: id, content: "m" };
  await put("messages", { ...message, role: "user", message_metadata: metadata });
  await put("messages", {
    ...message,
    role: "assistant",
    message_metadata: { channel: { session_id: "-" } },
  });
  return id;
}

const people = () =>
  rowsOf("SELECT to_jsonb(users) ->> 'username' AS name, to_jsonb(users) ->> 'added' AS added FROM users");

describe("migrate", () => {
  it("makes the tables and the service's own rows in an empty database, once", async () => {
    const { folder } = newMigrations();
    await migrate(pool, folder);
    await migrate(pool, folder);
    expect(await recorded()).toMatchObject([{ created_at: LAST.created_at }]);
    const own = "SELECT array_agg(slug ORDER BY id) AS slugs FROM";
    expect(await rowsOf(`${own} agents`)).toEqual([
      { slugs: ["system-default", "workspace-agent", "librarian", "service-integrator", "agent-builder"] },
    ]);
    expect(await rowsOf(`${own} bases`)).toEqual([{ slugs: ["static-site", "vite-react"] }]);
  });

  it("leaves a database as it is that had all migrations before the baseline, and applies what comes after", async () => {
    const { folder, add } = newMigrations();
    await makeEarlier(folder, [NEXT_TO_LAST, LAST]);
    await migrate(pool, folder);
    expect(await recorded()).toEqual([NEXT_TO_LAST, LAST]);
    expect(await people()).toEqual([{ name: "ann", added: null }]);
    add();
    await migrate(pool, folder);
    expect(await recorded()).toMatchObject([NEXT_TO_LAST, LAST, { created_at: "1795721579679" }]);
    expect(await people()).toEqual([{ name: "ann", added: "yes" }]);
  });

  it("refuses a database that lacks some of them, changes nothing in it, and takes it once it has them", async () => {
    const { folder, add } = newMigrations();
    await makeEarlier(folder, [NEXT_TO_LAST]);
    add();
    await expect(migrate(pool, folder)).rejects.toThrow(
      "its tables are of a version before migrations/0000_baseline.sql; migrate it first with the last commit that has migrations/0029_project_life.sql",
    );
    expect(await recorded()).toEqual([NEXT_TO_LAST]);
    expect(await people()).toEqual([{ name: "ann", added: null }]);
    await record(LAST);
    await migrate(pool, folder);
    expect(await people()).toEqual([{ name: "ann", added: "yes" }]);
  });
});

describe("what versions without jobs have left", () => {
  it("is to be done, or sent, by a job that begins once no executor of theirs is at work", async () => {
    const { folder, keep } = newMigrations();
    await migrate(pool, folder);
    await putProject();
    const whose = { user_id: PERSON, project_id: PROJECT };
    const ended = { origin: "api", completed_at: before };
    const called = await putTask({ ...ended, callback_status: "pending" });
    await putTask({ ...ended, callback_status: "delivered" });
    const remote = { repo_url: "https://git.test/a/b", repo_owner: "a", repo_name: "b", default_branch: "" };
    await put("repositories", { ...whose, ...remote, sync_status: "cloning", lease_until: later });
    await put("stripe_events", { id: "evt_1", type: "charge.refunded" });
    await put("stripe_events", { id: "evt_2", type: "charge.refunded", status: "done" });
    const removed = crypto.randomUUID();
    const removal = { type: "project_deletion", user_id: PERSON };
    await put("background_tasks", { ...removal, project_id: removed, status: "running" });
    await put("background_tasks", { ...removal, project_id: PERSON, status: "failed", completed_at: before });
    const secrets = { encrypted_credentials: "", encrypted_webhook_secret: "" };
    const channel = await put("channel_configs", {
      ...secrets,
      user_id: PERSON,
      channel_type: "slack",
      name: "",
    });
    const message = { channel_config_id: channel, direction: "outbound", jid: "slack:5", content: "Hi" };
    const pending = { ...message, status: "pending" };
    const dead = await put("channel_messages", {
      ...pending,
      sending_since: before,
      next_attempt_at: before,
    });
    const waiting = await put("channel_messages", { ...pending, next_attempt_at: later });
    await put("channel_messages", { ...message, status: "failed", sending_since: before });
    const timing = {
      schedule: "hourly",
      normalized_cron: "0 * * * *",
      timing: {},
      timezone: "UTC",
      anchor_at: before,
    };
    const asking = { prompt_template: "", deliver: "none", edit_mode: "allow", name: "", user_id: PERSON };
    const scheduleId = await put("schedules", { ...timing, ...asking });
    const run = crypto.randomUUID();
    await put("schedule_runs", { schedule_id: scheduleId, task_id: run, status: "waiting" });
    await put("schedule_runs", { schedule_id: scheduleId, task_id: PERSON, status: "success" });
    const place = { provider: "vercel", project_id: PROJECT, user_id: PERSON };
    const site = await put("deployment_sites", { ...place, made_for: PROJECT, account: "a", name: "a" });
    const deployment = { ...place, site_id: site, mode: "pre-built", settings: {} };
    const left = await put("deployments", { ...deployment, version: 1, lease_until: before, due_at: later });
    await put("deployments", { ...deployment, version: 2, status: "success" });

    keep();
    await migrate(pool, folder);

    const stored = await rowsOf(
      `SELECT kind, key, payload, share, due_at > now() + interval '30 minutes' AS "isLater", attempts, failed_at FROM jobs
        ORDER BY kind, "isLater"`,
    );
    const first = { share: null, isLater: false, attempts: 0, failed_at: null };
    expect(stored).toEqual([
      { ...first, kind: "advance-run", key: run, payload: { taskId: run } },
      { ...first, kind: "clone-repository", key: PROJECT, payload: { projectId: PROJECT }, isLater: true },
      { ...first, kind: "deliver-callback", key: called, payload: { taskId: called }, share: PERSON },
      { ...first, kind: "deliver-outbox-message", key: dead, payload: { messageId: dead }, share: PERSON },
      {
        ...first,
        kind: "deliver-outbox-message",
        key: waiting,
        payload: { messageId: waiting },
        share: PERSON,
        isLater: true,
      },
      { ...first, kind: "destroy-workspace", key: removed, payload: { projectId: removed, slug: null } },
      { ...first, kind: "handle-stripe-event", key: "evt_1", payload: { eventId: "evt_1" } },
      { ...first, kind: "run-deployment", key: left, payload: { deploymentId: left }, isLater: true },
      { ...first, kind: "settle-project", key: PROJECT, payload: { projectId: PROJECT } },
    ]);
    // Its executor has died, so the platform may have it.
    expect(await rowsOf("SELECT id FROM channel_messages WHERE may_be_sent")).toEqual([{ id: dead }]);
  });

  it("is a task that says where it came from, and has its chat's turn", async () => {
    const { folder, keep } = newMigrations();
    await migrate(pool, folder);
    await putProject();
    const browser = await putTask({ origin: "browser" }, { attachments: [] });
    const route = {
      session_id: "s",
      platform: "telegram",
      message_id: "55",
      reply_to: "55",
      reply_target: "8",
    };
    const channel = await putTask({ origin: "telegram" }, { channel: { ...route, context: [] } });
    const cli = await putTask({ origin: "cli" }, { channel: { session_id: "s", platform: "cli" } });
    const ofSchedule = { schedule: { id: "a", run_id: "b", session_id: "s" } };
    const schedule = await putTask({ origin: "schedule" }, ofSchedule);
    const [api, known, unknown] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const over = await putChat([api]);
    await putTask({ origin: "api", id: api, chat_id: over });
    const busy = await putChat([known]);
    await putTask({ origin: "api", id: known, chat_id: busy, seq: 2, status: "queued" });
    await putTask({ origin: "api", id: unknown, chat_id: busy, seq: 1, status: "running" });

    keep();
    await migrate(pool, folder);

    const telegram = { kind: "channel", platform: "telegram" };
    const { rows } = await pool.query<{ id: string; source: unknown }>("SELECT id, source FROM tasks");
    expect(Object.fromEntries(rows.map(({ id, source }) => [id, source]))).toEqual({
      [browser]: { kind: "browser" },
      [channel]: { ...telegram, sessionId: "s", messageId: "55", replyTo: "55", replyTarget: "8" },
      [cli]: { kind: "channel", platform: "cli", sessionId: "s" },
      [schedule]: { kind: "schedule", scheduleId: "a", runId: "b", sessionId: "s" },
      ...Object.fromEntries([api, known, unknown].map((id) => [id, { kind: "api" }])),
    });
    const turns = "SELECT unfinished_tasks AS ids FROM chats WHERE id =";
    expect(await rowsOf(`${turns} '${busy}'`)).toEqual([{ ids: [unknown, known] }]);
    expect(await rowsOf(`${turns} '${over}'`)).toEqual([{ ids: [] }]);
  });

  it("is not touched where a later version has taken it over", async () => {
    const { folder, keep } = newMigrations();
    // All before 0015_the_version_before.
    keep(15);
    await migrate(pool, folder);
    await putProject();
    const source = { kind: "channel", platform: "slack", sessionId: "s" };
    const ended = { origin: "slack", source, completed_at: before, callback_status: "pending" };
    const id = await putTask(ended, { channel: { context: [] } });
    const job =
      "INSERT INTO jobs (kind, key, payload, attempts, failed_at) VALUES ('deliver-callback', $1, '{}', 3, $2)";
    await pool.query(job, [id, before]);

    keep();
    await migrate(pool, folder);

    expect(await rowsOf("SELECT source FROM tasks")).toEqual([{ source }]);
    expect(await rowsOf("SELECT kind, attempts, failed_at FROM jobs ORDER BY kind")).toEqual([
      { kind: "deliver-callback", attempts: 3, failed_at: before },
      { kind: "settle-project", attempts: 0, failed_at: null },
    ]);
  });
});
