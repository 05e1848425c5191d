import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { MARK } from "#src/domain/messaging/deliveries/outgoing.ts";
import { type ApiClient, apiClient } from "#test/support/api-client.ts";
import { seeded } from "#test/support/random.ts";
import {
  type ConnectedChannel,
  type LastingChat,
  type LastingPlatform,
  startPlatforms,
} from "./support/lasting-platforms.ts";
import { mortalService } from "./support/mortal-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";
import { scheduleRuns } from "./support/scheduled-runs.ts";
import { passMinute, readRemains, type StoredTask } from "./support/stored-messages.ts";

/** `CRASH_KILLS=20` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 3);
const SEED = inject("fuzzSeed");
/** Schedules that run once, for each kill, and the time over which their moments are spread: what a life and a start take. */
const SCHEDULES_PER_KILL = 4;
const SPREAD_MS = 6_000;

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

/** A person who is linked to an account, and the numbers of what the person wrote, in their order. */
interface Person {
  name: string;
  channelId: string;
  chat: LastingChat;
  written: number[];
}

let count = 0;

async function write({ chat, written }: Person): Promise<void> {
  count += 1;
  written.push(count);
  const turn = {
    text: `reply-${count}`,
    first_delay_ms: random.whole(0, 500),
    chunks: 4,
    delay_ms: random.whole(0, 100),
  };
  await chat.write(`Message ${count}.\n\`\`\`demo\n${JSON.stringify([turn])}\n\`\`\``);
}

const numbersIn = (text: string) => [...text.matchAll(/Message (\d+)\./gu)].map(([, n]) => Number(n));

/** The replies that a person has, in the order of their arrival. */
async function repliesTo({ chat }: Person): Promise<{ number: number; isMarked: boolean }[]> {
  return (await chat.read()).flatMap((text) => {
    const number = /^reply-(\d+)$/mu.exec(text)?.[1];
    return number === undefined ? [] : [{ number: Number(number), isMarked: text.includes(MARK) }];
  });
}

/** Resolves just after a reply came, or at a time. */
async function nextReply(people: readonly Person[], deadline: number): Promise<void> {
  const arrived = async () => (await Promise.all(people.map((each) => repliesTo(each)))).flat().length;
  const before = await arrived();
  while (Date.now() < deadline && (await arrived()) === before) await pause(2);
}

/** Writes a few messages at a time, and goes on when one of them has its reply, so that never too many wait. */
async function correspond(person: Person, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const first = person.written.length;
    for (let left = random.whole(1, 3); left > 0; left -= 1) {
      await write(person);
      await pause(random.between(0, 300));
    }
    const isReplied = async () =>
      (await repliesTo(person)).some(({ number }) => number >= (person.written[first] ?? 0));
    while (!over.aborted && !(await isReplied())) await pause(100);
    await pause(random.between(0, 500));
  }
}

/** A person at a platform who is linked to an account by a code. */
async function newPerson(
  api: ApiClient,
  token: string,
  { platform, channel, name }: { platform: LastingPlatform; channel: ConnectedChannel; name: string },
): Promise<Person> {
  const chat = await platform.newChat(channel, name);
  await chat.write("hello");
  const code = await vi.waitFor(async () => {
    const texts = await chat.read();
    const [found] = /\b[A-HJ-NP-Z2-9]{8}\b/u.exec(texts.join("\n")) ?? [];
    if (found === undefined) throw new Error(`${name} has no pairing code`);
    return found;
  }, PATIENCE);
  const json = { platform: platform.platform, pairing_code: code };
  const paired = await api.call("POST", "/api/gateway/pair/verify", { token, json });
  expect(paired).toMatchObject({ status: 200 });
  return { name, channelId: channel.id, chat, written: [] };
}

it(
  `loses no message, runs each moment once and repeats nothing in secret when it is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const url = await service.start();
    const api = apiClient(url);
    const team = await newTeamClient(api);
    const { token: owner } = team.owner;
    const { id: projectId } = await api.newProject(owner);
    const people: Person[] = [];
    const homes: Parameters<typeof scheduleRuns>[2]["homes"][number][] = [];
    for (const platform of platforms) {
      const made = await api.call<ConnectedChannel>("POST", "/api/channels", {
        token: owner,
        json: {
          channel_type: platform.platform,
          credentials: platform.credentials,
          project_id: projectId,
        },
      });
      expect(made).toMatchObject({ status: 200 });
      const at = { platform, channel: made.body };
      const { token } = await team.join("editor");
      people.push(await newPerson(api, token, { ...at, name: `${platform.platform}1` }));
      const { chat } = await newPerson(api, owner, { ...at, name: `${platform.platform}2` });
      homes.push({ platform: platform.platform, chat });
    }
    const schedules = await scheduleRuns(
      api,
      { token: owner, projectId },
      { homes, count: KILLS * SCHEDULES_PER_KILL, spreadMs: KILLS * SPREAD_MS, random },
    );

    const over = new AbortController();
    const writing = Promise.all(people.map((person) => correspond(person, over.signal)));
    writing.catch(() => {}); // also thrown below
    for (let kills = 1; kills <= KILLS; kills += 1) {
      await Promise.race([writing, pause(random.between(200, 3_500))]);
      // Between the arrival of a reply and the note of it is the moment that makes repetitions.
      if (random.chance(0.5)) await nextReply(people, Date.now() + 3_000);
      await service.kill(random.chance(0.25) ? "node" : "everything");
      // Sometimes leases of the dead executor still hold when the next one begins.
      if (kills === KILLS || random.chance(0.5)) await passMinute(dataDir);
      if (kills === KILLS) over.abort();
      await service.start();
    }
    await writing;
    await untilQuiet(api, owner, people);
    await schedules.untilOver();
    await service.kill();

    const { tasks, undelivered, openEvents } = await readRemains(dataDir);
    expect(undelivered).toEqual([]);
    expect(openEvents).toBe(0);
    const all = people.flatMap(({ written }) => written);
    const taken = tasks.flatMap(({ message }) => numbersIn(message));
    expect(taken.toSorted((a, b) => a - b)).toEqual(all.toSorted((a, b) => a - b));
    let repetitions = 0;
    for (const person of people) repetitions += await judge(person, tasks);
    repetitions += await schedules.judge(dataDir);
    process.stderr.write(
      `${KILLS} kills, seed ${SEED}: ${all.length} messages, ${tasks.length} tasks, ${repetitions} texts repeated\n`,
    );
  },
  limitFor(KILLS),
);

/** Waits until every message has its task, and every task its reply. */
async function untilQuiet(api: ApiClient, owner: string, people: readonly Person[]): Promise<void> {
  interface Stored {
    direction: "inbound" | "outbound";
    content: string;
    status: string;
    task_id: string | null;
  }
  const messagesOf = async (channelId: string): Promise<Stored[]> => {
    const all: Stored[] = [];
    for (;;) {
      const path = `/api/channels/${channelId}/messages?limit=200&offset=${all.length}`;
      const { body } = await api.call<Stored[]>("GET", path, { token: owner });
      all.push(...body);
      if (body.length < 200) return all;
    }
  };
  await vi.waitFor(async () => {
    for (const channelId of new Set(people.map((each) => each.channelId))) {
      const messages = await messagesOf(channelId);
      const inbound = messages.filter(({ direction }) => direction === "inbound");
      const written = people.flatMap((each) => (each.channelId === channelId ? each.written : []));
      const stored = inbound.flatMap(({ content }) => numbersIn(content));
      expect(stored.toSorted((a, b) => a - b)).toEqual(written.toSorted((a, b) => a - b));
      const outbound = messages.filter(({ direction }) => direction === "outbound");
      expect(outbound.filter(({ status }) => status === "pending")).toEqual([]);
      const replied = new Set(outbound.map((each) => each.task_id));
      expect(inbound.filter((each) => !replied.has(each.task_id))).toEqual([]);
    }
  }, PATIENCE);
}

/** Compares what a person wrote, the tasks that it became and the replies. Returns how many replies came again. */
async function judge(person: Person, all: readonly StoredTask[]): Promise<number> {
  const own = new Set(person.written);
  const tasks = all
    .map((task) => ({ ...task, numbers: numbersIn(task.message) }))
    .filter(({ numbers }) => numbers.some((number) => own.has(number)));
  expect(
    tasks.flatMap(({ numbers }) => numbers),
    `tasks of ${person.name}`,
  ).toEqual(person.written);
  for (const { numbers, status, response } of tasks) {
    expect({ status, response }).toEqual({ status: "completed", response: `reply-${numbers[0]}` });
  }
  const replies = await repliesTo(person);
  const repeated = replies.filter(({ number }, index) => number === replies[index - 1]?.number);
  const once = replies.filter(({ number }, index) => number !== replies[index - 1]?.number);
  expect(
    once.map(({ number }) => number),
    `replies to ${person.name}`,
  ).toEqual(tasks.map(({ numbers }) => numbers[0]));
  expect(
    repeated.filter(({ isMarked }) => !isMarked),
    `unmarked repetitions to ${person.name}`,
  ).toEqual([]);
  return repeated.length;
}
