import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { Deferred } from "#src/agent/tools/deferred.ts";
import { failure, type DeferredRequest, type DeferredState } from "#src/agent/tools/tool.ts";
import { followCall } from "#src/agent/turns/follow-call.ts";
import { WaitingError } from "#src/agent/turns/gate.ts";
import { InputQuestions } from "#src/agent/turns/input-questions.ts";
import { runAsking } from "#src/agent/turns/run-asking.ts";
import type { TurnContext } from "#src/agent/turns/turn-context.ts";
import { TurnRecords } from "#src/agent/turns/turn-records.ts";
import type { McpTask } from "#src/platform/mcp-client/mcp-client.ts";
import type { Addition, TurnRecord } from "#src/platform/objects/task-logs.ts";
import { partOf } from "#test/support/part-of.ts";

const CALL = { iteration: 1, id: "c", name: "mcp__a__b" };
const START = Date.UTC(2026, 10, 28);
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

type Working = Extract<DeferredState, { kind: "working" }>;

const working = (fields: Partial<Working> = {}): Working => ({
  kind: "working",
  asks: [],
  message: undefined,
  ttlMs: undefined,
  pollMs: undefined,
  ...fields,
});
const over: DeferredState = { kind: "over", result: { success: true, message: "Done." } };
const failed = (passes: "maybe" | "hardly" | "never"): DeferredState => ({
  kind: "failed",
  passes,
  result: failure("It could not be asked."),
});
const form = (key: string) => ({
  key,
  method: "elicitation/create",
  params: { message: `${key}?`, requestedSchema: { type: "object", properties: { v: { type: "string" } } } },
});

/** The wait that a step ends with. */
async function waitOf(ran: Promise<unknown>) {
  const error = await ran.catch((cause: unknown) => cause);
  if (!(error instanceof WaitingError)) throw error;
  return { pause: error.until - Date.now(), isAsking: error.isAsking };
}

/**
 * A call whose server has taken it, executed step by step: each step is another executor, which has the records alone. `answer`
 * is what the person says to a question; undefined for one that they have not answered.
 */
async function newCall(task: Partial<McpTask> = {}, answer?: () => "accept" | undefined) {
  let kept: TurnRecord[] = [];
  const shown: unknown[] = [];
  const said: DeferredRequest["say"][] = [];
  const failures: unknown[] = [];
  const expiries: (Date | undefined)[] = [];
  const reader = new InputQuestions(
    partOf({}),
    partOf({ kind: "browser", task: { id: "t", chatId: "c", userId: "u" } }),
    partOf({ secrets: { stored: async () => new KnownSecrets([]) } }),
  );
  const questions = partOf<InputQuestions>({
    read: (needs, known) => reader.read(needs, known),
    answersTo: async (_, pending, __, expiresAt) => {
      expiries.push(expiresAt);
      const action = answer?.();
      if (!action) throw new WaitingError(START + HOUR);
      const answers = Object.fromEntries(pending.questions.map(({ key }) => [key, { action }]));
      return { input: { answers, state: undefined }, told: ["Answered."] };
    },
  });
  const turnOf = (records: TurnRecords) =>
    partOf<TurnContext>({
      log: {
        records,
        writer: partOf({
          add({ events = [], records: added = [] }: Partial<Addition>) {
            shown.push(...events.map(({ data }) => JSON.parse(data).content));
            for (const record of added) {
              const isSame = (each: TurnRecord) => each.kind === record.kind && each.callId === record.callId;
              if (record.kind === "deferred") kept = kept.filter((each) => !isSame(each));
              if (!kept.some(isSame)) kept.push(record);
            }
          },
          flush: async () => {},
        }),
      },
      secrets: partOf({ known: async () => new KnownSecrets([]) }),
      calls: partOf({ questions }),
      toolFailed: (_: string, cause: unknown) => void failures.push(cause),
    });
  const handle = { taskId: "s1", message: undefined, ttlMs: undefined, pollMs: undefined, ...task };
  const first = await waitOf(
    runAsking(turnOf(new TurnRecords(1, [])), CALL, undefined, () =>
      Promise.reject(new Deferred("a", handle, "mcp__a__b@1")),
    ),
  );
  const step = (state: DeferredState) => {
    const records = new TurnRecords(1, kept);
    const deferred = records.deferredOf(CALL.id);
    if (!deferred) throw new Error("The handle is not recorded");
    return followCall(turnOf(records), CALL, deferred, async ({ taskId, tool, say }) => {
      expect([taskId, tool]).toEqual(["s1", "mcp__a__b@1"]);
      said.push(say);
      return say === undefined ? state : working();
    });
  };
  return {
    first,
    shown,
    said,
    failures,
    expiries,
    records: () => kept.map(({ kind, callId }) => `${kind} ${callId}`),
    step,
    /** The pause after a step in which the server says this, at the time at which the step is due. */
    async pauseAfter(state: DeferredState, { isEarly = false } = {}) {
      const due = new TurnRecords(1, kept).deferredOf(CALL.id)?.dueAt ?? 0;
      if (!isEarly) vi.setSystemTime(Math.max(due, Date.now()));
      return (await waitOf(step(state))).pause;
    },
    /** The outcome of a step, as `pauseAfter`. */
    outcomeAfter(state: DeferredState) {
      vi.setSystemTime(new TurnRecords(1, kept).deferredOf(CALL.id)?.dueAt ?? 0);
      return step(state);
    },
  };
}

it("is recorded before the task waits for it, and no person is waited for", async () => {
  const call = await newCall({ pollMs: 5_000, message: "Queued" });
  expect(call.first).toEqual({ pause: 5_000, isAsking: false });
  expect(call.records()).toEqual(["deferred c"]);
  expect(call.shown).toEqual(["Queued"]);
});

describe("the pause between two questions", () => {
  it.each([
    [0, 1_000],
    [-1, 1_000],
    [999, 1_000],
    [5_000, 5_000],
    [60_001, 60_000],
    [1e9, 60_000],
  ])("of a server that wants %i ms is %i", async (pollMs, pause) => {
    const call = await newCall({ pollMs });
    expect(call.first.pause).toBe(pause);
    expect(await call.pauseAfter(working({ pollMs }))).toBe(pause);
  });

  it("grows where the server names none", async () => {
    const call = await newCall();
    const pauses = [call.first.pause];
    for (let steps = 0; steps < 25; steps += 1) pauses.push(await call.pauseAfter(working()));
    expect(pauses.slice(0, 8)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_250, 1_563, 1_954]);
    expect(pauses.at(-1)).toBe(60_000);
  });

  it("is at least a sixtieth of the time that the call has taken, so that an hour has some three hundred", async () => {
    const call = await newCall({ pollMs: 0 });
    let asked = 0;
    while (Date.now() < START + HOUR - 60_000) {
      await call.pauseAfter(working({ pollMs: 0 }));
      asked += 1;
    }
    expect(asked).toBeLessThan(320);
  });

  it("is waited for by a step that begins early, which asks nothing", async () => {
    const call = await newCall({ pollMs: 20_000 });
    vi.setSystemTime(START + 5_000);
    expect(await call.pauseAfter(over, { isEarly: true })).toBe(15_000);
    expect(call.said).toEqual([]);
  });
});

describe("the end", () => {
  it("is that of the server, with what it said on the way", async () => {
    const call = await newCall();
    for (const message of ["One", "One", undefined, "Two"]) await call.pauseAfter(working({ message }));
    expect(await call.outcomeAfter(over)).toEqual({
      success: true,
      result: { success: true, message: "Done." },
    });
    expect(call.shown).toEqual(["Still running on the server", "One", "Two"]);
  });

  it.each([
    ["a year", 365 * 24 * HOUR, HOUR],
    ["no time", 0, HOUR],
    ["a second", 1_000, 1_000],
    ["ten minutes", 600_000, 600_000],
  ])(
    "of a call that its server keeps for %s comes in time, and the server is told",
    async (_, ttlMs, lasts) => {
      const call = await newCall({ ttlMs, pollMs: 1e9 });
      let outcome: unknown;
      while (outcome === undefined) {
        outcome = await call.outcomeAfter(working({ ttlMs, pollMs: 1e9 })).catch((error: unknown) => {
          if (!(error instanceof WaitingError)) throw error;
        });
      }
      expect(Date.now() - START).toBe(lasts);
      expect(outcome).toMatchObject({
        success: false,
        result: { error: expect.stringContaining("did not end the call") },
      });
      expect(call.said.filter((say) => say === "cancel")).toHaveLength(1);
    },
  );

  it.each(["maybe", "hardly", "never"] as const)(
    "comes after so many failures in a row: %s",
    async (passes) => {
      const call = await newCall();
      const most = { maybe: 8, hardly: 3, never: 1 }[passes];
      const pauses: number[] = [];
      const fail = async (times: number) => {
        for (let failures = 0; failures < times; failures += 1)
          pauses.push(await call.pauseAfter(failed(passes)));
      };
      if (most > 1) {
        await fail(most - 1);
        // One answer in between, and it counts anew.
        await call.pauseAfter(working());
        await fail(most - 1);
      }
      const one = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].slice(0, most - 1);
      expect(pauses).toEqual([...one, ...one]);
      expect(await call.outcomeAfter(failed(passes))).toMatchObject({
        result: { error: "It could not be asked." },
      });
    },
  );

  it("comes with the time of a call that cannot be asked about", async () => {
    const call = await newCall({ ttlMs: 1_000 });
    expect(await call.outcomeAfter(failed("maybe"))).toMatchObject({ success: false });
  });

  it("has an unexpected failure in the log", async () => {
    const call = await newCall();
    const cause = new Error("A defect");
    await call.pauseAfter({ kind: "failed", passes: "hardly", result: failure("x"), cause });
    expect(call.failures).toEqual([cause]);
  });
});

describe("a question of the server", () => {
  it("is asked once, for as long as the call lasts, and its answer is sent once", async () => {
    let answer: "accept" | undefined;
    const call = await newCall({ ttlMs: 600_000 }, () => answer);
    const asks = [form("where")];
    await call.pauseAfter(working({ asks, ttlMs: 600_000 }));
    // Another executor, and the question is still open.
    await call.pauseAfter(working({ asks }));
    expect(call.expiries.map((date) => Number(date) - START)).toEqual([600_000, 600_000]);
    expect(call.said).toEqual([undefined]);
    answer = "accept";
    await call.pauseAfter(working());
    expect(call.said.at(-1)).toEqual({ answers: { where: { action: "accept" } } });
    // The server has not taken it in yet.
    await call.pauseAfter(working({ asks }));
    await call.pauseAfter(working({ asks: [...asks, form("when")] }));
    expect(call.said.at(-1)).toEqual({ answers: { when: { action: "accept" } } });
    expect(await call.outcomeAfter(over)).toMatchObject({
      result: { questions: ["Answered.", "Answered."] },
    });
  });

  it("ends the call where it is for the model, or one of too many", async () => {
    const sampling = { key: "s", method: "sampling/createMessage", params: {} };
    for (const asks of [[sampling], ["1", "2", "3", "4", "5", "6"].map(form), [form("x".repeat(70_000))]]) {
      const call = await newCall({}, () => "accept");
      expect(await call.outcomeAfter(working({ asks }))).toMatchObject({ success: false });
      expect(call.said).toEqual([undefined, "cancel"]);
    }
  });

  it("is one of five in all, however they come", async () => {
    const call = await newCall({}, () => "accept");
    for (const key of ["1", "2", "3", "4", "5"]) await call.pauseAfter(working({ asks: [form(key)] }));
    expect(await call.outcomeAfter(working({ asks: [form("6")] }))).toMatchObject({
      result: { error: expect.stringContaining("The call was given up") },
    });
  });
});
