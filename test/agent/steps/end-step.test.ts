import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { endStep } from "#src/agent/steps/end-step.ts";
import { StoppedError } from "#src/agent/steps/log-writer.ts";
import { Progress } from "#src/agent/steps/progress.ts";
import type { Step } from "#src/agent/steps/step.ts";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { TurnRecords, type DeferredCall } from "#src/agent/turns/turn-records.ts";
import { tasks } from "#src/db/schema/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { ModelError } from "#src/models/model.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { storeTask } from "#test/support/stored-task.ts";

const { db } = await fileDatabase();

const deferred: DeferredCall = {
  name: "mcp__s__build",
  server: "s",
  taskId: "t1",
  tool: "mcp__s__build@1",
  since: 0,
  dueAt: 0,
  endsAt: 0,
  failures: 0,
  shown: "",
  rounds: 0,
  told: [],
};

it.each([
  ["is stopped", new StoppedError("cancelled"), "cancelled"],
  ["fails", new ModelError("bad_response", "No answer", { retryable: false }), "failed"],
])(
  "a task that %s tells servers that go on with its calls so, once, and does not wait for them",
  async (_, error, status) => {
    const person = await newColleague(db);
    const user = { id: person.id, defaultTeamId: person.personalTeamId };
    const { taskId } = await storeTask(db, user, { status: "running" });
    const told: unknown[] = [];
    const row = async () => (await db.select().from(tasks).where(eq(tasks.id, taskId))).at(0);
    const records = new TurnRecords(1, []);
    const kept = [
      records.recordDeferred("a", deferred),
      records.recordDeferred("b", { ...deferred, taskId: "t2" }),
      records.recordResult("b", { result: { success: true }, modelText: "" }),
    ];
    const step = partOf<Step>({
      deps: partOf({
        db,
        followUps: FOLLOW_UPS,
        queue: partOf({ publish: async () => {}, publishBatch: async () => {} }),
        taskLogs: partOf({ close: async () => {}, settle: async () => {} }),
        log: partOf({ warn: () => {} }),
      }),
      progress: new Progress(taskId, 1, []),
      signal: new AbortController().signal,
      writer: partOf({ add: () => {}, flush: async () => {} }),
      title: partOf({ stop: () => {}, letStepEnd: async () => {} }),
      secrets: partOf({ known: async () => new KnownSecrets([]) }),
      chatSummary: undefined,
      mcp: partOf({
        async abandon(calls: readonly unknown[]) {
          told.push(...calls);
          // As a server that answers only when the task has long ended.
          await vi.waitFor(async () => expect((await row())?.status).toBe(status));
        },
      }),
    });
    const open = { records: new TurnRecords(1, kept), said: "", call: undefined };
    await endStep(step, { kind: "broken off", error, open });
    expect(told).toEqual([deferred]);
    expect(await row()).toMatchObject({ status });
  },
);
