import { expect, it, onTestFinished, vi } from "vitest";
import { WaitingError, type Gate } from "#src/agent/turns/gate.ts";
import { LogWriter } from "#src/agent/steps/log-writer.ts";
import { runTurn } from "#src/agent/turns/run-turn.ts";
import type { TurnContext } from "#src/agent/turns/turn-context.ts";
import type { KnownSecret } from "#src/agent/scrubbing/placement.ts";
import { Deferred } from "#src/agent/tools/deferred.ts";
import type { ForeignTools, Tool } from "#src/agent/tools/tool.ts";
import { RunSecrets } from "#src/agent/scrubbing/run-secrets.ts";
import { TurnRecords } from "#src/agent/turns/turn-records.ts";
import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import type { Model, ModelEvent, ModelUsage, ToolCall } from "#src/models/model.ts";
import type { Addition, TurnRecord } from "#src/platform/objects/task-logs.ts";
import { modelError } from "#test/support/answering-model.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { partOf } from "#test/support/part-of.ts";
import { toolContext } from "#test/support/tool-context.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0 };

/** A conversation of which nothing can be left out. */
const unshrinkable: TurnContext["request"]["window"] = {
  messages: async () => [],
  shrink: (refusal) => Promise.reject(refusal),
};

/** A model whose answers are these events; an error is thrown as it is. */
function modelOf(...events: (ModelEvent | Error)[]): Model {
  return {
    name: "speaking",
    provider: "test",
    async *stream() {
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
}

const text = (piece: string): ModelEvent => ({ type: "text_delta", text: piece });
const finished = (
  said: string,
  rest: Partial<Extract<ModelEvent, { type: "finished" }>> = {},
): ModelEvent => ({
  type: "finished",
  text: said,
  toolCalls: [],
  finishReason: "stop",
  usage,
  ...rest,
});

/** A model that says one thing, and counts how often it is asked. */
function speaking(toolCalls: ToolCall[]) {
  const asked = { times: 0 };
  const finishReason = toolCalls.length > 0 ? "tool_calls" : "stop";
  const model = modelOf(text("said"), finished("said", { toolCalls, finishReason }));
  const stream: Model["stream"] = (request, signal) => {
    asked.times += 1;
    return model.stream(request, signal);
  };
  return { model: { ...model, stream }, asked };
}

/** A turn and all it wrote. `records` are what an executor before it left. */
async function turn(
  model: Model,
  records: readonly TurnRecord[] = [],
  {
    enter = async () => ({ allowed: true }),
    secrets = [],
    window = unshrinkable,
    foreign,
  }: {
    enter?: Gate["enter"];
    secrets?: KnownSecret[];
    window?: TurnContext["request"]["window"];
    foreign?: ForeignTools;
  } = {},
  writes: Addition[] = [],
  used: ModelUsage[] = [],
) {
  const commands: string[] = [];
  const runtime = new MemoryRuntime({}, (command) => {
    commands.push(command);
    return { stdout: "", stderr: "", exitCode: 0, timedOut: false };
  });
  const writer = new LogWriter({
    append: async (addition) => {
      writes.push(addition);
      return { stale: false, stop: null };
    },
    textEvent: taskEvents.textDelta,
    onStop: () => {},
    sparingAfter: 100,
  });
  const questions = partOf<TurnContext["calls"]["questions"]>({ withdraw: async () => {} });
  const ran = await runTurn({
    iteration: 1,
    request: {
      model,
      system: "",
      definitions: [],
      seal: async (part) => `sealed:${JSON.stringify(part.content)}`,
      window,
    },
    calls: {
      tools: toolContext({ runtime, foreign }),
      gate: { enter },
      questions,
      beforeChange: async () => undefined,
    },
    log: { records: new TurnRecords(1, records), writer },
    secrets: new RunSecrets({ load: async () => secrets, files: runtime, onUnreadable: () => {} }),
    toolFailed: () => {},
  });
  const counted = ran.kind === "done" ? ran.answer.usage : ran.usage;
  if (counted) used.push(counted);
  if (ran.kind === "broken") throw ran.error;
  return { turn: ran.turn, writes, commands };
}

/** Without the errors of interrupted calls, which come beside their results. */
const eventsOf = (writes: readonly Addition[]) =>
  writes.flatMap(({ events }) => events.map(({ type }) => type)).filter((type) => type !== "tool_error");
const recordsOf = (writes: readonly Addition[]) => writes.flatMap(({ records }) => records ?? []);

const message = (content: string) => ({ role: "user", content }) as const;

/** A model that fails with these codes, one after the other, and then answers. */
function failing(...codes: Parameters<typeof modelError>[0][]) {
  const { model, asked } = speaking([]);
  const shown: unknown[] = [];
  const stream: Model["stream"] = (request, signal) => {
    shown.push(request.messages);
    const code = codes.shift();
    if (code) throw modelError(code);
    return model.stream(request, signal);
  };
  return { model: { ...model, stream }, asked, shown };
}

it("asks with less where the provider refuses the conversation as too long, until nothing can be left out", async () => {
  const window: TurnContext["request"]["window"] = {
    messages: async () => [message("much")],
    shrink: async () => [message("little")],
  };
  const once = failing("context_too_long");
  expect((await turn(once.model, [], { window })).turn).toMatchObject({ response_text: "said" });
  expect(once.shown).toEqual([[message("much")], [message("little")]]);
  await expect(turn(failing("context_too_long").model)).rejects.toMatchObject({ code: "context_too_long" });
});

it("asks once where the provider refuses for another reason", async () => {
  const { model, shown } = failing("quota_exhausted");
  await expect(turn(model)).rejects.toMatchObject({ code: "quota_exhausted" });
  expect(shown).toHaveLength(1);
});

it("counts what a model thought and wrote before it broke off", async () => {
  const hidden = {
    type: "hidden_delta" as const,
    text: "many words of thinking and of arguments ".repeat(10),
  };
  const broken = modelOf(text("said"), hidden, modelError("bad_response"));
  const used: ModelUsage[] = [];
  await expect(turn(broken, [], {}, [], used)).rejects.toMatchObject({ code: "bad_response" });
  expect(used.at(-1)?.outputTokens).toBeGreaterThan(50);
});

const calls = [
  { id: "a", name: "bash_exec", arguments: '{"command":"echo a"}' },
  { id: "b", name: "bash_exec", arguments: '{"command":"echo b"}' },
];

it.each([
  ["stop", "", /without a word/u],
  ["stop", " \n", /without a word/u],
  ["length", "", /length/u],
  ["content_filter", "", /held back/u],
] as const)(
  "says so in a sentence where the model's answer is empty: %s %j",
  async (finishReason, empty, sentence) => {
    const silent = modelOf(finished(empty, { finishReason }));
    const { turn: done, writes } = await turn(silent);
    expect(done).toMatchObject({ response_text: expect.stringMatching(sentence), is_complete: true });
    expect(eventsOf(writes)).toEqual(["text_delta", "agent_step"]);
  },
);

it("has said everything when it returns, so that a turn which is stored lacks no event", async () => {
  const { writes } = await turn(speaking(calls).model);
  expect(eventsOf(writes)).toEqual([
    "text_delta",
    "tool_start",
    "tool_result",
    "tool_start",
    "tool_result",
    "agent_step",
  ]);
});

it.each([0, 1, 2])(
  "after a crash at any write with %i calls, says and does the rest, once",
  async (count) => {
    const whole = await turn(speaking(calls.slice(0, count)).model);
    for (let seen = 1; seen <= whole.writes.length; seen += 1) {
      const before = whole.writes.slice(0, seen);
      if (!recordsOf(before).some(({ kind }) => kind === "answer")) continue;
      const { model, asked } = speaking([]);
      const after = await turn(model, recordsOf(before));
      expect(asked.times).toBe(0);
      expect(eventsOf([...before, ...after.writes])).toEqual(eventsOf(whole.writes));
      expect(after.turn.tool_calls.map(({ id }) => id)).toEqual(whole.turn.tool_calls.map(({ id }) => id));
    }
  },
);

it("tells the model of a command that had begun and has no result, and does not run it again", async () => {
  const whole = await turn(speaking(calls).model);
  const begun = whole.writes.findIndex(({ records }) => records?.some(({ kind }) => kind === "started"));
  const after = await turn(speaking([]).model, recordsOf(whole.writes.slice(0, begun + 1)));
  const [first, second] = after.turn.tool_calls;
  expect(first).toMatchObject({
    id: "a",
    result: { success: false, error: expect.stringMatching(/interrupted/u) },
  });
  expect(second).toMatchObject({ id: "b", result: { success: true } });
  expect(after.commands).toEqual(["echo b"]);
});

it.each([undefined, { success: true, message: "Sent." } as const])(
  "goes on with a call that had begun where its tool can, and does not run it again: %j",
  async (left) => {
    const { foreign, done } = deferring("other");
    const [tool] = foreign.tools;
    if (!tool) throw new Error("There is no tool");
    const resume = async (args: string) => {
      done.push(`resume ${args}`);
      return left;
    };
    const made = { id: "a", name: tool.name, arguments: "0" };
    const started = new TurnRecords(1, []).recordStart("a");
    const begun = await turn(speaking([made]).model, [], {
      enter: async () => ({ allowed: false, error: "No", suggestion: "None" }),
      foreign,
    });
    const answered = recordsOf(begun.writes).filter(({ kind }) => kind === "answer");
    const { turn: after } = await turn(speaking([]).model, [...answered, started], {
      foreign: { tools: foreign.tools, find: () => ({ ...tool, resume }) },
    });
    const unknown = { success: false, error: expect.stringMatching(/interrupted/u) };
    expect(after.tool_calls).toMatchObject([{ result: left ?? unknown }]);
    expect(done).toEqual(["resume 0"]);
  },
);

/** A tool of a server that goes on with each call, and has the result when it is asked; what was done with it. */
function deferring(effect: Tool["effect"]) {
  const done: string[] = [];
  const name = "mcp__s__t";
  const tool: Tool = {
    name,
    aliases: [],
    effect,
    scope: null,
    dangerous: false,
    runsInPlan: true,
    isOffered: () => true,
    definition: { name, description: "Builds", parameters: {} },
    async run(args) {
      done.push("call");
      const pollMs = Number(args);
      throw new Deferred("s", { taskId: args, message: undefined, ttlMs: undefined, pollMs }, "t");
    },
    async follow({ taskId }) {
      done.push(`ask ${taskId}`);
      return { kind: "over", result: { success: true, message: "Built." } };
    },
  };
  return { foreign: { tools: [tool], find: () => tool }, done };
}

it.each(["other", "read"] as const)(
  "does not make a call again that its server goes on with, whatever its effect: %s",
  async (effect) => {
    const { foreign, done } = deferring(effect);
    const made = { id: "a", name: "mcp__s__t", arguments: "0" };
    const writes: Addition[] = [];
    const first = turn(speaking([made]).model, [], { foreign }, writes);
    await expect(first).rejects.toBeInstanceOf(WaitingError);
    const kinds = recordsOf(writes).map(({ kind }) => kind);
    expect(kinds).toEqual(["answer", "started", "deferred"]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    const after = await turn(speaking([]).model, recordsOf(writes), { foreign });
    expect(after.turn.tool_calls).toMatchObject([{ result: { success: true, message: "Built." } }]);
    expect(done).toEqual(["call", "ask 0"]);
    // The answer with the handle was lost, or its executor.
    const lost = recordsOf(writes).filter(({ kind }) => kind !== "deferred");
    if (effect === "read") return;
    const told = await turn(speaking([]).model, lost, { foreign });
    expect(told.turn.tool_calls).toMatchObject([
      { result: { error: expect.stringMatching(/interrupted/u) } },
    ]);
    expect(done).toEqual(["call", "ask 0"]);
  },
);

it("waits for the first of several calls that servers go on with, once all are made", async () => {
  const { foreign, done } = deferring("read");
  const made = ["20000", "5000", "60000"].map((args) => ({ id: args, name: "mcp__s__t", arguments: args }));
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = turn(speaking(made).model, [], { foreign });
  await expect(waiting).rejects.toMatchObject({ until: 5_000, isAsking: false });
  expect(done).toEqual(["call", "call", "call"]);
});

it("hides a secret in what the model says, in its arguments and in results, and uses it all the same", async () => {
  const secret = "hunter2-hunter2-hunter2";
  const secrets = [{ name: "API_PASSWORD", value: secret, declared: true }];
  const whole = `It is ${secret} indeed`;
  const pieces = [whole.slice(0, 9), whole.slice(9, 20), whole.slice(20)];
  const toolCalls = [
    { id: "a", name: "bash_exec", arguments: JSON.stringify({ command: `login ${secret}` }) },
    { id: "b", name: "write_file", arguments: JSON.stringify({ file_path: "a", content: `b ${secret}` }) },
  ];
  const model = modelOf(...pieces.map(text), finished(whole, { toolCalls, finishReason: "tool_calls" }));
  const { turn: done, writes, commands } = await turn(model, [], { secrets });
  expect(commands).toEqual([`login ${secret}`]);
  const shown = JSON.stringify([done, writes.map(({ events }) => events)]);
  expect(shown).not.toContain(secret);
  expect(done.response_text).toBe("It is «secret:API_PASSWORD» indeed");
  expect(done.tool_calls[1]?.result).toMatchObject({ preview: "b «secret:API_PASSWORD»" });
});

it("keeps what the model thought for the model alone, and shows a bounded thought without secrets", async () => {
  const secret = "hunter2-hunter2-hunter2";
  const thought = `${secret} ${"so ".repeat(20_000)}`;
  const kept = { provider: "test", model: "thinking", prefix: null, content: "signed" };
  const thinking = (toolCalls: ToolCall[]) => modelOf(finished("said", { thought, kept, toolCalls }));
  const secrets = [{ name: "API_PASSWORD", value: secret, declared: true }];
  const { turn: done, writes } = await turn(thinking(calls), [], { secrets });
  expect(done).toMatchObject({ response_text: "said", kept: 'sealed:"signed"' });
  expect(done.thought).toMatch(/^«secret:API_PASSWORD» so so/u);
  expect(done.thought?.length).toBeLessThan(20_100);
  const event = writes.flatMap(({ events }) => events).find(({ type }) => type === "agent_step");
  expect(JSON.parse(event?.data ?? "{}")).toMatchObject({ data: { thought: done.thought } });
  expect(JSON.stringify(writes)).not.toContain(secret);

  const after = await turn(speaking([]).model, recordsOf(writes), { secrets });
  expect(after.turn).toMatchObject({ thought: done.thought, kept: done.kept });
  expect((await turn(thinking([]), [], { secrets })).turn.kept).toBeNull();
});

it("writes no mark of a hidden secret into a file", async () => {
  const write = { file_path: "a", content: "KEY=«secret:KEY»" };
  const { turn: done } = await turn(
    speaking([{ id: "a", name: "write_file", arguments: JSON.stringify(write) }]).model,
  );
  expect(done.tool_calls[0]?.result).toMatchObject({
    success: false,
    error: expect.stringContaining("nothing was written"),
  });
});

const letInAllButA: Gate["enter"] = async ({ id }) =>
  id === "a" ? { allowed: false, error: "No.", suggestion: "Ask." } : { allowed: true };

it("tells the model of a call that was not let in, and runs the others", async () => {
  const { turn: done, commands } = await turn(speaking(calls).model, [], { enter: letInAllButA });
  expect(done.tool_calls[0]?.result).toMatchObject({ success: false, error: "No.", suggestion: "Ask." });
  expect(commands).toEqual(["echo b"]);
});

it("keeps what was done before a call that has to wait, and does not do it again", async () => {
  const writes: Addition[] = [];
  const waiting = turn(
    speaking(calls).model,
    [],
    {
      enter: async ({ id }) => {
        if (id === "b") throw new WaitingError(0);
        return { allowed: true };
      },
    },
    writes,
  );
  await expect(waiting).rejects.toThrow(WaitingError);
  const after = await turn(speaking([]).model, recordsOf(writes));
  expect(after.commands).toEqual(["echo b"]);
  expect(after.turn.tool_calls.map(({ result }) => result.success)).toEqual([true, true]);
});
