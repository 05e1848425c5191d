import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { apiClient, type ApiClient } from "#test/support/api-client.ts";
import { CHROMIUM } from "#test/support/chromium.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import type { Victim } from "#test/support/process.ts";
import { seeded } from "#test/support/random.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";
import { passTime } from "./support/pass-time.ts";
import { HELD_SERVICE, holdOutcomes } from "./support/held-outcomes.ts";
import { authorizations } from "./support/stories/authorizations.ts";
import { clones } from "./support/stories/clones.ts";
import { deployments } from "./support/stories/deployments.ts";
import { deferredCalls } from "./support/stories/deferred-calls.ts";
import { mcpClients } from "./support/stories/mcp-clients.ts";
import { mails } from "./support/stories/mails.ts";
import { messages } from "./support/stories/messages.ts";
import { pages } from "./support/stories/pages.ts";
import { payments, SHARE } from "./support/stories/payments.ts";
import { programs } from "./support/stories/programs.ts";
import { projects } from "./support/stories/projects.ts";
import { questions } from "./support/stories/questions.ts";
import { removals } from "./support/stories/removals.ts";
import type { Story } from "./support/stories/story.ts";
import { QUIET_RECOVERY_LIMIT_MS, RECOVERY_LIMIT_MS, Traffic, type Recovery } from "./support/traffic.ts";
import { goOn, jobsUnderWay, linesByKind, untilUnderWay, type GoneOn } from "./support/under-way.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask, type Scars } from "./support/verify.ts";

/** One of everything, and one of workerd alone. */
const FEW = 2;
/** `CRASH_KILLS=25` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? FEW);
const isLong = KILLS > FEW;
const SEED = inject("fuzzSeed");
const LANES = 4;
/** A statement to the database fails after 15 seconds, and with it an executor whose outcome is held. */
const MOST_HELD_MS = 11_000;

const random = seeded(SEED);
/** Only in a long run: there a job of each kind is under way at each kill. */
const outcomes = isLong ? await holdOutcomes() : undefined;
let slack: Awaited<ReturnType<typeof startSlack>>;
const service = mortalService(
  () => ({
    SLACK_API_BASE_URL: slack.url,
    CHANNEL_WEBHOOK_RATE_LIMIT: "0",
    CHANNEL_OWNER_RATE_LIMIT: "0",
    GATEWAY_TICK_INTERVAL: "5",
    GATEWAY_MAX_SCHEDULES_PER_USER: "100",
    DEPLOYMENT_POLL_SECONDS: "1",
    CREATOR_REVENUE_SHARE: String(SHARE),
    KEY_RATE_BURST: "0",
    OUTBOUND_ALLOW_PRIVATE: "true",
    USER_MAX_CONCURRENT_AGENTS: "100",
    PROJECT_MAX_CONCURRENT_AGENTS: "100",
    // People do not sign in again, however long it takes.
    ACCESS_TOKEN_EXPIRE_MINUTES: "1440",
    ...(outcomes && { HELD_OUTCOMES_URL: outcomes.url }),
  }),
  isLong ? { dataDir: mkdtempSync(join(tmpdir(), "workspace-crash-")), entry: HELD_SERVICE } : {},
);

let api: ApiClient;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let owner: { token: string; key: string; webhookSecret: string };
let traffic: Traffic;
let cloned: Awaited<ReturnType<typeof clones>>;
let deferred: Awaited<ReturnType<typeof deferredCalls>>;
let shown: Awaited<ReturnType<typeof pages>> | undefined;
let shut: Awaited<ReturnType<typeof authorizations>> | undefined;
let mailed: Story | undefined;
let removed: Story | undefined;
let stories: Record<
  "questions" | "programs" | "mcpClients" | "projects" | "messages" | "deployments" | "payments",
  Story
>;
/** How the jobs went on that were under way at a kill. */
const gone: GoneOn[] = [];
/** What a person was told, each time that workerd had died alone. */
const told: boolean[] = [];

/** Names of all kinds of jobs. Loaded for a long run alone: it is the whole Worker. */
const everyKind = async () => (await import("#functions/index.ts")).JOBS.map(({ name }) => name);

const victimOf = (kill: number): Victim => {
  if (kill <= FEW) return kill === 1 ? "everything" : "workerd";
  // At last, and with time passed: nothing waits for the sweeps of a minute.
  if (kill === KILLS) return "everything";
  const drawn = random.between(0, 1);
  return drawn < 0.25 ? "node" : drawn < 0.5 ? "workerd" : "everything";
};

beforeAll(async () => {
  [receiver, slack] = await Promise.all([startReceiver(), startSlack()]);
  if (isLong) {
    // The very first start is not spared either: it makes the database.
    service.start().catch(() => {});
    await pause(random.between(500, 5_000));
    await service.kill();
  }
  const url = await service.start();
  api = apiClient(url);
  const { token } = await api.signUp();
  const own = [await api.newProject(token), await api.newProject(token)];
  owner = { token, ...(await api.newKey(token)) };
  const projectIds = own.map(({ id }) => id);
  traffic = new Traffic({ key: owner.key, projectIds, webhookUrl: receiver.url, random });
  const world = { api, random, dataDir: service.dataDir, slack, isLong };
  cloned = await clones(world);
  deferred = await deferredCalls(world);
  if (CHROMIUM !== undefined) shown = await pages(world, { begins: KILLS - FEW + 1 });
  stories = {
    questions: await questions(world),
    programs: await programs(world),
    mcpClients: await mcpClients(world),
    projects: await projects(world),
    messages: await messages(world),
    deployments: await deployments(world),
    payments: await payments(world),
  };
  if (outcomes) {
    [shut, mailed, removed] = [
      await authorizations(world),
      await mails(world, outcomes),
      await removals(world),
    ];
  }
  const all = [removed, shut, mailed, deferred, shown, ...Object.values(stories)].filter(
    (story) => story !== undefined,
  );
  const others = all.filter((story) => story !== stories.projects);
  all.push(cloned);

  let over = new AbortController();
  const begin = () => {
    over = new AbortController();
    traffic.up({ url, readyAt: Date.now(), over: over.signal });
  };
  begin();
  if (isLong) traffic.run(LANES);
  const kinds = isLong ? (await everyKind()).filter((kind) => kind !== "settle-project") : [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const victim = victimOf(kill);
    const interrupted = { isSwept: isLong || victim !== "workerd" };
    if (isLong) await Promise.race([traffic.failed, pause(random.between(200, 6_000))]);
    // It waits for the end of the clone before, which must not be held.
    await cloned.beforeKill?.(interrupted);
    // Else they are being stopped and started when it dies.
    const areProjectsEarly = isLong && kill % 2 === 1;
    const early = areProjectsEarly ? [...others, stories.projects] : others;
    const heldAt = Date.now();
    outcomes?.hold();
    await Promise.all(early.map(async (story) => story.beforeKill?.(interrupted)));
    if (!isLong) {
      traffic.chat();
      traffic.burst(2);
    }
    const moment = outcomes
      ? untilUnderWay(outcomes, kinds, heldAt + MOST_HELD_MS)
      : vi.waitUntil(() => traffic.isCalling || traffic.isOver, { ...PATIENCE, interval: 20 });
    await Promise.race([traffic.failed, moment]);
    // So that requests are under way when it dies.
    if (!areProjectsEarly) await stories.projects.beforeKill?.(interrupted);
    traffic.burst(2);
    await pause(random.between(0, 60));
    const jobs = outcomes ? await jobsUnderWay(outcomes) : [];
    await service.kill(victim, () => over.abort());
    outcomes?.drop();
    for (const story of all) await story.gone?.(kill);
    // Whether the leases of the dead still hold when the next ones begin.
    let waited = true;
    if (victim === "workerd") {
      await vi.waitUntil(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.ok, PATIENCE);
      const isTold = () => /crashed unexpectedly and is being restarted/u.test(service.stderr());
      told.push(await vi.waitUntil(isTold, PATIENCE).catch(() => false));
    } else {
      // Sometimes it is killed again before it is ready.
      if (isLong && random.chance(0.2)) {
        service.start().catch(() => {});
        await pause(random.between(200, 3_000));
        await service.kill();
        waited = false;
      }
      if (!isLong || kill === KILLS || random.chance(0.25)) {
        await passTime(service.dataDir);
        waited = false;
      }
      await service.start();
    }
    const going = outcomes && goOn(outcomes, jobs, { readyAt: Date.now(), waited });
    begin();
    await Promise.all([
      going?.then((each) => gone.push(...each)),
      (async () => {
        for (const story of all) await story.back?.();
      })(),
    ]);
  }
}, limitFor(KILLS));
afterAll(async () => {
  await shown?.close();
  await cloned.close();
  await deferred.close();
  await Promise.all([receiver.close(), slack.close(), shut?.close(), outcomes?.close()]);
});

it(
  `a task that was acknowledged goes on where it was: its events, calls and callback come once, over ${KILLS} kills (seed ${SEED})`,
  async () => {
    await traffic.finish();
    const verifier = { api, ...owner };
    const tasks = traffic.acknowledged;
    const scars: Scars[] = [];
    for (const task of tasks) scars.push(await verifyTask(verifier, task));
    await verifyNoOthers(verifier, tasks);
    await vi.waitFor(() => verifyCallbacks(tasks, receiver.deliveries, owner.webhookSecret), PATIENCE);
    report(tasks.length, traffic.recoveries, scars, tasks.filter(({ requests }) => requests > 1).length);
    expect(traffic.recoveries.length).toBeGreaterThan(0);
    const limit = isLong ? QUIET_RECOVERY_LIMIT_MS : RECOVERY_LIMIT_MS;
    expect(traffic.recoveries.filter(({ ms }) => ms > limit)).toEqual([]);
  },
  limitFor(1),
);

it("a workerd that dies alone is started again, and a person is told", () => {
  expect(told.length).toBeGreaterThan(0);
  expect(told).not.toContain(false);
});

type Told = [title: string, story: () => Pick<Story, "verify"> | undefined];

async function verifyKinds(): Promise<void> {
  expect([...new Set(gone.map(({ kind }) => kind))].toSorted()).toEqual((await everyKind()).toSorted());
  expect(gone.filter(({ ms }) => ms > RECOVERY_LIMIT_MS)).toEqual([]);
}

const OF_LONG_RUNS: Told[] = isLong
  ? [
      [
        "a job of each kind was under way at a kill, and goes on without the sweep of a minute",
        () => ({ verify: verifyKinds }),
      ],
      ["an agent goes on without a server that needs authorization", () => shut],
      ["a task about which its person gets mails asks twice, and ends", () => mailed],
      ["a deleted project is gone, and the schedule that was due in it has ended", () => removed],
    ]
  : [];

it.each([
  ["a program that uses the client sees each event once, and starts each task once", () => stories.programs],
  [
    "an agent of another program starts each task once over MCP, and finds what it wrote",
    () => stories.mcpClients,
  ],
  ["a question outlives the service that put it, and so does what comes after", () => stories.questions],
  ["a project that was being stopped or started keeps its files, and obeys", () => stories.projects],
  [
    "each message is answered once and each moment runs once; what came again says so",
    () => stories.messages,
  ],
  ["every deployment ends, at one site", () => stories.deployments],
  ["each payment counts once and each creator's share is sent once", () => stories.payments],
  ["a call that its server goes on with is made once, and its result is read all the same", () => deferred],
  ["a clone goes on, and until then the project has its old files", () => cloned],
  ...OF_LONG_RUNS,
] satisfies Told[])("%s", { timeout: limitFor(1) }, async (_, story) => {
  await expect(story()?.verify()).resolves.toBeUndefined();
});

it.skipIf(CHROMIUM === undefined)(
  "pages of the console show all of it whole and once, without a reload",
  { timeout: limitFor(1) },
  async () => {
    await expect(shown?.verify()).resolves.toBeUndefined();
  },
);

function report(tasks: number, recoveries: readonly Recovery[], scars: readonly Scars[], repeated: number) {
  const sorted = recoveries.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const sum = (name: keyof Scars) => scars.reduce((total, scar) => total + scar[name], 0);
  process.stderr.write(
    [
      `${KILLS} kills, seed ${SEED}: ${tasks} tasks, ${repeated} of them asked for more than once`,
      `  ready to new event: ${sorted.length} times, min ${sorted[0]} ms, p50 ${sorted[Math.floor(sorted.length / 2)]} ms, max ${sorted.at(-1)} ms`,
      `  turns begun anew ${sum("restarts")}, calls answered as interrupted ${sum("interrupted")}, of which ${sum("doublesPrevented")} had run`,
      ...linesByKind(gone),
      "",
    ].join("\n"),
  );
}
