import { expect, inject, it, onTestFinished } from "vitest";
import { Workspace } from "@agent-workspace/client";
import { seeded } from "#test/support/random.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";
import { quickClock } from "./support/scripted-fetch.ts";
import { startUnrulyProxy, type Mishap } from "./support/unruly-proxy.ts";

/** The long form of `npm run soak` starts more tasks. */
const isLong = process.env["SDK_NETWORK"] === "long";
const TASKS = isLong ? 200 : 6;

it("behind a bad network tasks start once, and their events come once, in order, under every mishap", async () => {
  const random = seeded(inject("fuzzSeed"));
  const mishaps: readonly (() => Mishap)[] = [
    () => ({ kind: "none" }),
    () => ({ kind: "twice" }),
    () => ({ kind: "lost" }),
    () => ({ kind: "limited" }),
    () => ({ kind: "page" }),
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
  const service = sharedService();
  const client = await newTaskClient(service);
  const proxy = await startUnrulyProxy(service.url, choose);
  onTestFinished(() => proxy.close());
  const workspace = new Workspace({ baseUrl: proxy.url, apiKey: client.key }, quickClock());
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
  expect(proxy.happened.size).toBeGreaterThanOrEqual(isLong ? mishaps.length : 3);
});
