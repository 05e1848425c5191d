import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { apiClient, type ApiClient } from "#test/support/api-client.ts";
import { CHROMIUM } from "#test/support/chromium.ts";
import { newDataDir } from "#test/support/data-dir.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import type { Victim } from "#test/support/process.ts";
import { seeded } from "#test/support/random.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";
import { passTime } from "./support/pass-time.ts";
import { clones } from "./support/stories/clones.ts";
import { deployments } from "./support/stories/deployments.ts";
import { deferredCalls } from "./support/stories/deferred-calls.ts";
import { mcpClients } from "./support/stories/mcp-clients.ts";
import { messages } from "./support/stories/messages.ts";
import { pages } from "./support/stories/pages.ts";
import { payments, SHARE } from "./support/stories/payments.ts";
import { programs } from "./support/stories/programs.ts";
import { projects } from "./support/stories/projects.ts";
import { questions } from "./support/stories/questions.ts";
import type { Story } from "./support/stories/story.ts";
import { takeoversByKind, type Return } from "./support/takeovers.ts";
import { QUIET_RECOVERY_LIMIT_MS, RECOVERY_LIMIT_MS, Traffic, type Recovery } from "./support/traffic.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask, type Scars } from "./support/verify.ts";

/** One of everything, and one of workerd alone. */
const FEW = 2;
/** `CRASH_KILLS=25` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? FEW);
const isLong = KILLS > FEW;
const SEED = inject("fuzzSeed");
const LANES = 4;

const random = seeded(SEED);
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
  }),
  isLong ? mkdtempSync(join(tmpdir(), "workspace-crash-")) : newDataDir(),
);

let api: ApiClient;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let owner: { token: string; key: string; webhookSecret: string };
let traffic: Traffic;
let cloned: Awaited<ReturnType<typeof clones>>;
let deferred: Awaited<ReturnType<typeof deferredCalls>>;
let shown: Awaited<ReturnType<typeof pages>> | undefined;
let stories: Record<
  "questions" | "programs" | "mcpClients" | "projects" | "messages" | "deployments" | "payments",
  Story
>;
/** The service's returns from its kills, in their order. */
const returns: Return[] = [];
/** What a person was told, each time that workerd had died alone. */
const told: boolean[] = [];

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
  const world = { api, random, dataDir: service.dataDir, slack };
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
  const all: Story[] = [cloned, deferred, ...(shown ? [shown] : []), ...Object.values(stories)];

  let over = new AbortController();
  const goOn = () => {
    over = new AbortController();
    traffic.up({ url, readyAt: Date.now(), over: over.signal });
  };
  goOn();
  if (isLong) traffic.run(LANES);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const victim = victimOf(kill);
    for (const story of all) if (story !== stories.projects) await story.beforeKill?.(victim);
    if (!isLong) {
      traffic.chat();
      traffic.burst(2);
    }
    const moment = isLong
      ? pause(random.between(200, 9_000))
      : vi.waitUntil(() => traffic.isCalling || traffic.isOver, { ...PATIENCE, interval: 20 });
    await Promise.race([traffic.failed, moment]);
    // So that requests are under way when it dies.
    await stories.projects.beforeKill?.(victim);
    traffic.burst(2);
    await pause(random.between(0, 60));
    await service.kill(victim, () => over.abort());
    for (const story of all) await story.gone?.(kill);
    const goneAt = Date.now();
    let isLate = false;
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
      }
      // Else leases of the dead still hold when the next ones begin.
      isLate = !isLong || kill === KILLS || random.chance(0.5);
      if (isLate) await passTime(service.dataDir);
      await service.start();
    }
    returns.push({ goneAt, readyAt: Date.now(), isLate });
    goOn();
    for (const story of all) await story.back?.();
  }
}, limitFor(KILLS));
afterAll(async () => {
  await shown?.close();
  await cloned.close();
  await deferred.close();
  await Promise.all([receiver.close(), slack.close()]);
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
] satisfies [string, () => Story][])("%s", { timeout: limitFor(1) }, async (_, story) => {
  await expect(story().verify()).resolves.toBeUndefined();
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
      ...Array.from(takeoversByKind(service.dataDir, returns), ([kind, waits]) => {
        const at = (part: number) => waits[Math.floor(part * (waits.length - 1))];
        return `  ready to going on, ${kind}: ${waits.length} times, p50 ${at(0.5)} ms, max ${at(1)} ms`;
      }),
      "",
    ].join("\n"),
  );
}
