import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Workspace } from "@agent-workspace/client";
import { seeded } from "#test/support/random.ts";
import { sharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";
import { quickClock } from "./support/scripted-fetch.ts";
import { startUnrulyProxy, type Mishap, type UnrulyProxy } from "./support/unruly-proxy.ts";

/** The long form of `npm run soak` cuts at each byte, and starts more tasks. */
const isLong = process.env["SDK_NETWORK"] === "long";
const CUT_EVERY = isLong ? 1 : 311;
const TASKS = isLong ? 200 : 8;

let service: SharedService;
let client: TaskClient;
let proxy: UnrulyProxy | undefined;

beforeAll(async () => {
  service = sharedService();
  client = await newTaskClient(service);
});

afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

const MESSAGE = script(
  { text: "Größe: 漢字 🙂", tools: [call("write_file", { file_path: "a.txt", content: "a" })] },
  { text: "Done." },
);

async function workspaceBehind(choose: Parameters<typeof startUnrulyProxy>[1]): Promise<Workspace> {
  proxy = await startUnrulyProxy(service.url, choose);
  return new Workspace({ baseUrl: proxy.url, apiKey: client.key }, quickClock());
}

describe("over the service, behind a bad network", () => {
  it("a stream that is cut at any of its bytes gives each event once, in order", async () => {
    const started = await client.start(MESSAGE);
    const logged = (await client.end(started.task_id)).map(({ id }) => id);
    const path = `${service.url}/api/external/agent/events/${started.task_id}`;
    const whole = await fetch(path, { headers: { authorization: `Bearer ${client.key}` } });
    const { length } = new Uint8Array(await whole.arrayBuffer());
    expect(length).toBeGreaterThan(1_000);

    let bytes = 0;
    let isCut = false;
    const { tasks } = await workspaceBehind(() => {
      if (isCut) return { kind: "none" };
      isCut = true;
      return { kind: "cut", bytes };
    });
    for (bytes = 0; bytes < length; bytes += CUT_EVERY) {
      isCut = false;
      const events = await Array.fromAsync(tasks.get(started.task_id).events());
      expect(events.map(({ id }) => id)).toEqual(logged);
      expect(isCut).toBe(true);
    }
  });

  it("tasks start once, and their events come once, in order, under every mishap of a request", async () => {
    const random = seeded(inject("fuzzSeed"));
    const mishaps: readonly (() => Mishap)[] = [
      () => ({ kind: "none" }),
      () => ({ kind: "twice" }),
      () => ({ kind: "lost" }),
      () => ({ kind: "limited" }),
      () => ({ kind: "gateway" }),
      () => ({ kind: "page" }),
      () => ({ kind: "noise" }),
      () => ({ kind: "late", ms: random.whole(1, 100) }),
      () => ({ kind: "cut", bytes: random.whole(0, 1_500) }),
    ];
    // After three mishaps in a row a call fails, as it should: this test is about what succeeds.
    let inRow = 0;
    const choose = (): Mishap => {
      const chosen = inRow < 3 ? mishaps[random.whole(0, mishaps.length - 1)]?.() : undefined;
      inRow = chosen && chosen.kind !== "none" ? inRow + 1 : 0;
      return chosen ?? { kind: "none" };
    };
    client = await newTaskClient(service);
    const workspace = await workspaceBehind(choose);
    const begun: string[] = [];
    for (let number = 0; number < TASKS; number += 1) {
      const message = script({ text: `Task ${number}` });
      const task = await workspace.tasks.invoke({ project_id: client.projectId, message });
      begun.push(task.id);
      const ids: number[] = [];
      let end: string | undefined;
      for await (const { id, type } of task.events({ maxReconnects: 100 })) {
        ids.push(id);
        end = type;
      }
      expect(ids).toEqual(ids.map((_, index) => index + 1));
      expect(end).toBe("done");
      expect(await task.result()).toMatchObject({ status: "completed", response: `Task ${number}` });
    }
    const direct = new Workspace({ baseUrl: service.url, apiKey: client.key });
    const all = await Array.fromAsync(direct.tasks.all());
    expect(all.map(({ task_id }) => task_id)).toEqual(begun.toReversed());
    expect(proxy?.happened.size).toBeGreaterThanOrEqual(isLong ? mishaps.length : 3);
  });
});
