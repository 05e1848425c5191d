import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { MARK } from "#src/domain/messaging/deliveries/outgoing.ts";
import { type ApiClient, apiClient } from "#test/support/api-client.ts";
import { seeded } from "#test/support/random.ts";
import { type RunView, scheduleClient, type ScheduleView } from "#test/support/schedules.ts";
import { script } from "#test/support/task-client.ts";
import {
  type ConnectedChannel,
  type LastingChat,
  type LastingPlatform,
  startPlatforms,
} from "./support/lasting-platforms.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";
import { passMinute } from "./support/stored-messages.ts";
import { readRuns, type StoredRun } from "./support/stored-runs.ts";

/** `CRASH_KILLS=20` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 3);
const SEED = inject("fuzzSeed");
/** Schedules that run once, for each kill. */
const ONCE_PER_KILL = 5;
/** Time over which their moments are spread, for each kill: what a life and a start take. */
const SPREAD_MS = 6_000;
const MINUTE_MS = 60_000;

const random = seeded(SEED);
let platforms: LastingPlatform[] = [];
beforeAll(async () => {
  platforms = await startPlatforms(random);
});
afterAll(async () => {
  await Promise.all(platforms.map((each) => each.close()));
});

const service = mortalService(() => ({
  CHANNEL_WEBHOOK_RATE_LIMIT: "0",
  CHANNEL_OWNER_RATE_LIMIT: "0",
  GATEWAY_TICK_INTERVAL: "5",
  GATEWAY_MAX_SCHEDULES_PER_USER: "1000",
  ...Object.fromEntries(platforms.flatMap(({ variables }) => Object.entries(variables))),
}));
const { dataDir } = service;

/** The owner's private chat at a platform, once it is linked with the account. */
async function linkedChat(api: ApiClient, token: string, platform: LastingPlatform): Promise<LastingChat> {
  const made = await api.call<ConnectedChannel>("POST", "/api/channels", {
    token,
    json: { channel_type: platform.platform, credentials: platform.credentials },
  });
  const chat = await platform.newChat(made.body, "ann");
  await chat.write("hello");
  const code = await vi.waitFor(async () => {
    const [found] = /\b[A-HJ-NP-Z2-9]{8}\b/u.exec((await chat.read()).join("\n")) ?? [];
    if (found === undefined) throw new Error(`There is no pairing code at ${platform.platform}`);
    return found;
  }, PATIENCE);
  const json = { platform: platform.platform, pairing_code: code };
  const paired = await api.call("POST", "/api/gateway/pair/verify", { token, json });
  if (paired.status !== 200) throw new Error(`Not paired: ${paired.text}`);
  return chat;
}

it(
  `runs and delivers each moment once when it is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const api = apiClient(await service.start());
    const { token } = await api.signUp();
    const { id: projectId } = await api.newProject(token);
    const chats: LastingChat[] = [];
    for (const platform of platforms) chats.push(await linkedChat(api, token, platform));
    const client = scheduleClient(api, { token, projectId });

    const begin = Date.now() + 4_000;
    const made: ScheduleView[] = [];
    for (let index = 1; index <= KILLS * ONCE_PER_KILL; index += 1) {
      const at = new Date(begin + random.whole(0, KILLS * SPREAD_MS));
      const turn = { text: `once-${index}`, first_delay_ms: random.whole(0, 800) };
      made.push(
        await client.create(script(turn), {
          name: `once-${index}`,
          schedule: at.toISOString(),
          deliver: platforms[index % platforms.length]?.platform,
        }),
      );
    }
    const minutely = await client.create(script({ text: "minute-{time}" }), {
      name: "minutely",
      schedule: "every minute",
      deliver: platforms.map(({ platform }) => platform).join(),
    });

    for (let kills = 1; kills <= KILLS; kills += 1) {
      await pause(random.between(700, 4_500));
      await service.kill(random.chance(0.25) ? "node" : "everything");
      // Sometimes claims of the dead tick still hold when the next one begins.
      if (kills === KILLS || random.chance(0.5)) await passMinute(dataDir);
      await service.start();
    }
    // The moments that the machine was too slow for come after the last kill.
    await vi.waitFor(
      async () => expect((await client.runs(minutely.id)).length).toBeGreaterThan(0),
      PATIENCE,
    );
    await client.call("POST", `/${minutely.id}/pause`);
    await vi.waitFor(async () => {
      for (const { id, name } of [...made, minutely]) {
        const runs = await client.runs(id);
        expect(runs.length, `runs of ${name}`).toBeGreaterThan(0);
        expect(
          runs.filter((run) => !isOver(run)),
          `unfinished runs of ${name}`,
        ).toEqual([]);
      }
    }, PATIENCE);
    await service.kill();

    const { runs, tasks } = await readRuns(dataDir);
    expect(tasks).toBe(runs.filter(({ status }) => status !== "skipped").length);
    for (const { name } of made) {
      expect(runs.filter((run) => run.name === name)).toMatchObject([
        { missed: 0, status: "success", task: "completed", response: name },
      ]);
    }
    const ofMinutes = runs.filter(({ name }) => name === "minutely");
    expect(gapsIn(ofMinutes)).toEqual([]);
    const minutes = ofMinutes.flatMap(({ response }) => response ?? []);
    let repetitions = 0;
    for (const [place, chat] of chats.entries()) {
      const expected = made.filter((_, index) => (index + 1) % platforms.length === place);
      repetitions += judge(await chat.read(), [...expected.map(({ name }) => name), ...minutes]);
    }
    process.stderr.write(
      `${KILLS} kills, seed ${SEED}: ${runs.length} moments in ${tasks} tasks, ${repetitions} results repeated\n`,
    );
  },
  limitFor(KILLS),
);

/** Whether a run has ended, and the platforms have its result. */
function isOver({ status, deliveries }: RunView): boolean {
  return (
    status === "skipped" || (status === "success" && deliveries.every((each) => each.status === "delivered"))
  );
}

/** Minutes that no run stands for, or several: each run stands for its own moment and for those that it missed. */
function gapsIn(runs: readonly StoredRun[]): string[] {
  return runs.flatMap(({ slot, missed, status }, index) => {
    const next = runs[index + 1]?.slot ?? slot + (missed + 1) * MINUTE_MS;
    const isWhole = next === slot + (missed + 1) * MINUTE_MS;
    return isWhole && ["success", "skipped"].includes(status)
      ? []
      : [`${new Date(slot).toISOString()} ${status}`];
  });
}

/** Compares the results that a person has with those of the runs. Returns how many came again, which must be marked. */
function judge(texts: readonly string[], expected: readonly string[]): number {
  const results = texts.flatMap((text) => {
    const name = /^(?:once-\d+|minute-\d\d:\d\d)$/mu.exec(text)?.[0];
    return name === undefined ? [] : [{ name, isMarked: text.includes(MARK) }];
  });
  expect([...new Set(results.map(({ name }) => name))].toSorted()).toEqual([...expected].toSorted());
  const first = new Set<string>();
  const repeated = results.filter(({ name }) => {
    const isAgain = first.has(name);
    first.add(name);
    return isAgain;
  });
  expect(repeated.filter(({ isMarked }) => !isMarked)).toEqual([]);
  return repeated.length;
}
