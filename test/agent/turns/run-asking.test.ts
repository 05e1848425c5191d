import { expect, it } from "vitest";
import type { InputQuestions } from "#src/agent/turns/input-questions.ts";
import { runAsking } from "#src/agent/turns/run-asking.ts";
import type { TurnContext } from "#src/agent/turns/turn-context.ts";
import { TurnRecords, type PendingInput } from "#src/agent/turns/turn-records.ts";
import { WaitingError } from "#src/agent/turns/gate.ts";
import { Deferred } from "#src/agent/tools/deferred.ts";
import { NeedsInput } from "#src/agent/tools/needs-input.ts";
import type { TurnRecord } from "#src/platform/objects/task-logs.ts";
import { partOf } from "#test/support/part-of.ts";

const CALL = { iteration: 1, id: "c", name: "mcp__a__b" };
const DONE = { success: true, result: { success: true, message: "Done." } } as const;
const needs = () => new NeedsInput("a", { asks: [], state: "s" });
const pending: PendingInput = {
  round: 1,
  server: "a",
  asked: 0,
  questions: [],
  declined: [],
  state: "s",
  told: [],
};
const input = { answers: {}, state: "s" };

/** A turn whose person has answered, or not yet; and what it did, in order. */
function newTurn({ isOpen }: { isOpen: boolean }) {
  const done: string[] = [];
  const records = new TurnRecords(1, []);
  const turn = partOf<TurnContext>({
    secrets: partOf({ known: () => Promise.reject(new Error("They cannot be read")) }),
    log: {
      records,
      writer: {
        add: (addition: { records?: TurnRecord[] }) =>
          void done.push(...(addition.records ?? []).map(({ kind, callId }) => `${kind} ${callId}`)),
        flush: async () => void done.push("durable"),
      },
    },
    calls: {
      questions: partOf<InputQuestions>({
        read: async () => pending,
        answersTo: async () => {
          done.push("ask");
          if (isOpen) throw new WaitingError(1);
          return { input, told: [] };
        },
      }),
    },
  });
  return { turn, done };
}

it("records what a call needs before anybody is asked", async () => {
  const { turn, done } = newTurn({ isOpen: true });
  const asking = runAsking(turn, CALL, undefined, () => Promise.reject(needs()));
  await expect(asking).rejects.toBeInstanceOf(WaitingError);
  expect(done).toEqual(["input c#1", "durable", "ask"]);
});

it("records that the answers go out before they do, so that no executor sends them twice", async () => {
  const { turn, done } = newTurn({ isOpen: false });
  await runAsking(turn, CALL, pending, async (given) => {
    expect(given).toEqual(input);
    done.push("call");
    return DONE;
  });
  expect(done).toEqual(["ask", "started c#1", "durable", "call"]);
});

it("records a call that its server goes on with, after what it needed, before the task waits", async () => {
  const { turn, done } = newTurn({ isOpen: false });
  const task = { taskId: "t", message: undefined, ttlMs: undefined, pollMs: undefined };
  const asking = runAsking(turn, CALL, pending, () => Promise.reject(new Deferred("a", task, "mcp__a__b@1")));
  await expect(asking).rejects.toMatchObject({ isAsking: false });
  expect(done).toEqual(["ask", "started c#1", "durable", "deferred c", "durable"]);
  // The keys before were those of the call itself: the server may use them anew.
  const deferred = turn.log.records.untilNow().deferredOf("c");
  if (!deferred) throw new Error("It was not recorded");
  const records = new TurnRecords(1, []);
  const asked = [1, 2, 3].flatMap((round) => {
    const needed = records.recordInput("c", { ...pending, round, declined: [`key ${round}`] });
    return round === 3 ? [needed] : [needed, records.recordStart(`c#${round}`)];
  });
  expect([...new TurnRecords(1, asked).keysAnswered("c", deferred)]).toEqual(["key 2"]);
});

it("a later executor finds what was needed last, and whether the call was made again", () => {
  const before = new TurnRecords(1, []);
  const asked = [before.recordInput("c", pending), before.recordInput("c", { ...pending, round: 2 })];
  expect(new TurnRecords(1, asked).inputOf("c")).toMatchObject({ pending: { round: 2 }, wasSent: false });
  const sent = [...asked, before.recordStart("c#2")];
  expect(new TurnRecords(1, sent).inputOf("c")).toMatchObject({ pending: { round: 2 }, wasSent: true });
  expect(new TurnRecords(1, sent).inputOf("d")).toBeUndefined();
});
