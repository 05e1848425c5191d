import { expect, vi } from "vitest";
import { startNeon } from "#local/neon/index.ts";
import { MARK } from "#src/domain/messaging/deliveries/outgoing.ts";
import type { ApiClient } from "#test/support/api-client.ts";
import type { Random } from "#test/support/random.ts";
import { scheduleClient } from "#test/support/schedules.ts";
import { script } from "#test/support/task-client.ts";
import type { LastingChat } from "./lasting-platforms.ts";
import { PATIENCE } from "./patience.ts";

/** Where a schedule's results go: a platform, and the owner's chat there. */
interface Home {
  platform: string;
  chat: LastingChat;
}

interface Schedules {
  /** Waits until each has run, and its result is where it is to be. */
  untilOver(): Promise<void>;
  /** Looks at what is left when the service does not run. Returns how many results came again, which must be marked. */
  judge(dataDir: string): Promise<number>;
}

/** Makes schedules that run once each, at moments spread over `spreadMs`. */
export async function scheduleRuns(
  api: ApiClient,
  owner: { token: string; projectId: string },
  {
    homes,
    count,
    spreadMs,
    random,
  }: { homes: readonly Home[]; count: number; spreadMs: number; random: Random },
): Promise<Schedules> {
  const client = scheduleClient(api, owner);
  const made: { id: string; name: string; home: Home | undefined }[] = [];
  for (let index = 1; index <= count; index += 1) {
    const name = `once-${index}`;
    const home = homes[index % homes.length];
    const schedule = new Date(Date.now() + 4_000 + random.whole(0, spreadMs)).toISOString();
    const prompt = script({ text: name, first_delay_ms: random.whole(0, 800) });
    const { id } = await client.create(prompt, { name, schedule, deliver: home?.platform });
    made.push({ id, name, home });
  }
  return {
    async untilOver() {
      await vi.waitFor(async () => {
        for (const { id, name } of made) {
          const runs = await client.runs(id);
          const states = runs.map((run) =>
            [run.status, ...run.deliveries.map(({ status }) => status)].join(" "),
          );
          expect(states, `runs of ${name}`).toEqual(["success delivered"]);
        }
      }, PATIENCE);
    },
    async judge(dataDir) {
      expect(await storedRuns(dataDir)).toEqual(
        made.map(({ name }) => ({ name, missed: 0, status: "success", task: "completed", response: name })),
      );
      let repetitions = 0;
      for (const home of homes) {
        const own = made.filter((each) => each.home === home).map(({ name }) => name);
        repetitions += repeatedIn(await home.chat.read(), own);
      }
      return repetitions;
    },
  };
}

/** The runs of all schedules, in the order of their names, with what became of their tasks. */
async function storedRuns(dataDir: string): Promise<unknown[]> {
  const database = await startNeon({ dataDir });
  try {
    const { rows } = await database.pool.query(`
      SELECT s.name, r.missed, r.status, t.status AS task, t.response
      FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id LEFT JOIN tasks t ON t.id = r.task_id
      ORDER BY length(s.name), s.name`);
    return rows;
  } finally {
    await database.close();
  }
}

/** Compares the results that a person has with those of the runs. Returns how many came again. */
function repeatedIn(texts: readonly string[], expected: readonly string[]): number {
  const results = texts.flatMap((text) => {
    const name = /^once-\d+$/mu.exec(text)?.[0];
    return name === undefined ? [] : [{ name, isMarked: text.includes(MARK) }];
  });
  expect([...new Set(results.map(({ name }) => name))].toSorted()).toEqual([...expected].toSorted());
  const repeated = results.filter(
    ({ name }, index) => results.findIndex((earlier) => earlier.name === name) < index,
  );
  expect(repeated.filter(({ isMarked }) => !isMarked)).toEqual([]);
  return repeated.length;
}
