import { and, eq, sql } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { WaitingError } from "#src/agent/turns/gate.ts";
import { InputQuestions, type InputDeps } from "#src/agent/turns/input-questions.ts";
import { TurnRecords, type PendingInput } from "#src/agent/turns/turn-records.ts";
import { NeedsInput } from "#src/agent/tools/needs-input.ts";
import type { LogWriter } from "#src/agent/steps/log-writer.ts";
import { approvals } from "#src/db/schema/index.ts";
import { endTask } from "#src/domain/agent-work/tasks/queries/run.ts";
import { answerApproval, type AnswerDeps } from "#src/domain/agent-work/approvals/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import type { TurnRecord } from "#src/platform/objects/task-logs.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import type { ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { partOf } from "#test/support/part-of.ts";
import { storeTask } from "#test/support/stored-task.ts";

const database = await fileDatabase();
const { db } = database;
const secrets = createSecrets("a secret key of this installation");

const CALL = { iteration: 1, id: "c", name: "mcp__a__b" };
const params = {
  message: "Where?",
  requestedSchema: { type: "object", properties: { a: { type: "string" } } },
};
const FIELD = { name: "a", title: "A", required: false, type: "string" } as const;
const asked: AskedInput = { mode: "form", server: "a", message: "Where?", fields: [FIELD] };
const PENDING = {
  round: 1,
  server: "a",
  asked: 1,
  questions: [{ key: "q", number: 1, asked }],
  declined: [],
  told: [],
};

/** A person's running task, its questions, and what can become of those. */
async function newTask() {
  const person = await newColleague(db);
  const user = { id: person.id, defaultTeamId: person.personalTeamId };
  const { taskId, chatId } = await storeTask(db, user, { status: "running" });
  const verdicts: unknown[] = [];
  const written: TurnRecord[] = [];
  const writer = partOf<LogWriter>({
    add({ events = [], records: more = [] }: Parameters<LogWriter["add"]>[0]) {
      verdicts.push(...events);
      written.push(...more);
    },
    flush: async () => {},
  });
  const deps = partOf<InputDeps>({
    db,
    secrets,
    queue: {},
    config: { APPROVAL_EXPIRE_HOURS: 1 },
    followUps: {},
  });
  const task = partOf<ClaimedTask>({ task: { id: taskId, chatId, userId: person.id }, kind: "browser" });
  const stop = new AbortController();
  const known = { stored: async () => new KnownSecrets([]) };
  const questions = new InputQuestions(deps, task, { writer, secrets: known, signal: stop.signal });
  const records = new TurnRecords(1, []);
  const over = new AbortController();
  const row = async () => {
    const of = and(eq(approvals.taskId, taskId), eq(approvals.callId, CALL.id));
    return vi.waitFor(async () => {
      const [found] = await db.select().from(approvals).where(of);
      if (!found) throw new Error("Nothing was asked");
      return found;
    });
  };
  return {
    taskId,
    questions,
    records,
    over,
    stop,
    row,
    verdicts,
    ask: () => questions.answersTo(CALL, PENDING, new TurnRecords(1, written)),
    hold: () => questions.hold(CALL, { server: "a", params, number: 1, over: over.signal }, records),
    expire: () =>
      db
        .update(approvals)
        .set({ expiresAt: sql`now() - interval '1 second'` })
        .where(eq(approvals.taskId, taskId)),
    end: () =>
      endTask(
        { db, followUps: FOLLOW_UPS },
        { taskId, generation: 1, iterations: 1, toolCalls: 1, turn: undefined, call: undefined },
        { status: "completed", response: "", completionReason: "final_answer", error: null },
      ),
    async answer(content: Record<string, unknown> = {}) {
      const { id } = await row();
      const parts = partOf<AnswerDeps>({ db, secrets, taskLogs: { goOn: async () => {} } });
      const caller = partOf<UserCaller>({ kind: "user", userId: person.id, isSuperuser: false });
      return answerApproval(parts, caller, { approvalId: id, response: "accept", content });
    },
  };
}

it("the answers to a form are sealed in the row, open for the call, and forgotten when the task ends", async () => {
  const task = await newTask();
  await expect(task.ask()).rejects.toBeInstanceOf(WaitingError);
  const content = { a: "sk-of-the-person" };
  await task.answer(content);
  expect(JSON.stringify(await task.row())).not.toContain(content.a);
  expect(await task.ask()).toMatchObject({ input: { answers: { q: { action: "accept", content } } } });
  // A repetition is the same answer; another one comes too late.
  await task.answer(content);
  await expect(task.answer({ a: "other" })).rejects.toMatchObject({ code: "conflict" });
  await task.end();
  expect(await task.row()).toMatchObject({ response: "accept", encryptedAnswers: null });
});

it("an answer is told once, however often the call goes on after it", async () => {
  const task = await newTask();
  await expect(task.ask()).rejects.toBeInstanceOf(WaitingError);
  await task.answer();
  await task.ask();
  await task.ask();
  const told = ["approval_required", "approval_answered"];
  expect(task.verdicts).toMatchObject(told.map((type) => ({ type })));
});

it.skipIf(onlyEmbedded())(
  "an answer at the moment of the task's end is refused, or forgotten with it",
  async () => {
    const task = await newTask();
    await expect(task.ask()).rejects.toBeInstanceOf(WaitingError);
    const { taskId } = task;
    const held = await holdOpen(
      db,
      db.execute(sql`SELECT FROM tasks WHERE id = ${taskId}::uuid FOR NO KEY UPDATE`),
    );
    const ended = task.end();
    await untilWaiting(db, 1);
    const answered = task.answer({ a: "sk-of-the-person" }).then(
      () => "stored",
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );
    await Promise.race([answered, untilWaiting(db, 2).catch(() => {})]);
    await held.release();
    await ended;
    expect(["stored", "conflict"]).toContain(await answered);
    expect(await task.row()).toMatchObject({ encryptedAnswers: null });
  },
);

const LATE = { code: "conflict", message: expect.stringContaining("no longer waits") };

it("a question that nobody answers in time is cancelled at its server, and an answer after it is refused", async () => {
  const task = await newTask();
  await expect(task.ask()).rejects.toBeInstanceOf(WaitingError);
  await task.expire();
  await expect(task.answer()).rejects.toMatchObject(LATE);
  expect(await task.ask()).toMatchObject({
    input: { answers: { q: { action: "cancel" } } },
    told: [expect.stringContaining("The user did not answer")],
  });
  expect(await task.row()).toMatchObject({ response: null, encryptedAnswers: null });
});

it("a question on an open call that nobody answers in time ends with a sentence that says how long it waited", async () => {
  const task = await newTask();
  const held = task.hold();
  await task.row();
  await task.expire();
  expect(await held).toMatchObject({
    answer: { action: "cancel" },
    told: expect.stringContaining("waited 90 seconds. Nobody answered"),
  });
  await expect(task.answer()).rejects.toMatchObject(LATE);
});

it("a question whose call is over is withdrawn", async () => {
  const task = await newTask();
  const held = task.hold();
  await task.row();
  task.over.abort();
  expect(await held).toMatchObject({ answer: { action: "cancel" } });
  await expect(task.answer()).rejects.toMatchObject(LATE);
});

it("a question has a number that no other one of its call has, whatever was declined in between", async () => {
  const { questions } = await newTask();
  const secret = { type: "object", properties: { a: { type: "object" } } };
  let before: PendingInput | undefined;
  const numbers: number[][] = [];
  for (const requestedSchema of [params.requestedSchema, secret, params.requestedSchema]) {
    const asks = [{ key: "q", method: "elicitation/create", params: { ...params, requestedSchema } }];
    const read = await questions.read(new NeedsInput("a", { asks, state: undefined }), { before, told: [] });
    if (typeof read === "string") throw new Error(read);
    numbers.push(read.questions.map(({ number }) => number));
    before = read;
  }
  expect(numbers).toEqual([[1], [], [2]]);
});

it("a question of a call that was lost with its executor is withdrawn by the next one", async () => {
  const task = await newTask();
  const held = task.hold();
  await task.row();
  task.stop.abort(new Error("Superseded"));
  await expect(held).rejects.toThrow("Superseded");
  await task.questions.withdraw(CALL);
  await expect(task.answer()).rejects.toMatchObject(LATE);
  expect(await task.row()).toMatchObject({ response: "cancel", answeredBy: null });
});
