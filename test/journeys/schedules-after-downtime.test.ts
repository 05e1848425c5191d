import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { startNeon } from "#local/neon/index.ts";
import { apiClient } from "#test/support/api-client.ts";
import { newDataDir } from "#test/support/data-dir.ts";
import { spawnService, type ServiceProcess } from "#test/support/process.ts";
import { scheduleClient } from "#test/support/schedules.ts";
import { script } from "#test/support/task-client.ts";

/** Three moments of a schedule that runs every seven minutes; its first one is in seven minutes. */
const DOWN_MINUTES = 22;

const dataDir = newDataDir();
let service: ServiceProcess | undefined;
afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(port: string): Promise<string> {
  service = spawnService({ PORT: port, DATA_DIR: dataDir, PASSWORD_HASH_COST: "4" });
  return service.ready;
}

/** Moves the clocks of all schedules back, as if the service had not run for that long. */
async function pass(minutes: number): Promise<void> {
  const database = await startNeon({ dataDir });
  try {
    await database.pool.query(
      `UPDATE schedules SET anchor_at = anchor_at - make_interval(mins => $1),
        next_run_at = next_run_at - make_interval(mins => $1)`,
      [minutes],
    );
  } finally {
    await database.close();
  }
}

it("moments that were missed become one late run, or none", async () => {
  const url = await start("0");
  const api = apiClient(url);
  const { token } = await api.signUp();
  const { id: projectId } = await api.newProject(token);
  const client = scheduleClient(api, { token, projectId });
  const prompt = script({ text: "Made up for." });
  const schedule = "every 7m";
  const [once, none] = [
    await client.create(prompt, { schedule, catch_up: "once" }),
    await client.create(prompt, { schedule, catch_up: "skip" }),
  ];
  await service?.kill();
  await pass(DOWN_MINUTES);
  await start(new URL(url).port);

  const run = await client.ran(once.id, "success");
  const earlier = (moment: string | null) => Date.parse(moment ?? "") - DOWN_MINUTES * 60_000;
  expect(Date.parse(run.scheduled_for ?? "")).toBe(earlier(once.next_run_at));
  expect(run).toMatchObject({ late: true, missed: 2, trigger: "schedule", error: null });
  const skipped = await client.ran(none.id, "skipped");
  expect(skipped).toMatchObject({
    late: true,
    missed: 2,
    task_id: null,
    error: "The moment was missed: the service was off",
  });
  for (const [{ id, next_run_at }, completed] of [
    [once, 1],
    [none, 0],
  ] as const) {
    expect(await client.runs(id)).toHaveLength(1);
    const now = await client.get(id);
    expect(now).toMatchObject({ is_active: true, runs_completed: completed });
    // The fourth moment is the next one.
    expect(Date.parse(now.next_run_at ?? "")).toBe(earlier(next_run_at) + 3 * 7 * 60_000);
  }
});
