import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "#sdk/live/chat.ts";
import { conversationOf, emptyConversation, fold, isRunning } from "#sdk/live/conversation.ts";
import type { Conversation, ConversationTask } from "#sdk/live/conversation-task.ts";

type Body = { type: string; [field: string]: unknown };

const foldAll = (events: readonly ChatEvent[], from: Conversation = emptyConversation()) =>
  events.reduce(fold, from);
const log = (bodies: readonly Body[], taskId = "a"): ChatEvent[] =>
  bodies.map((event, index) => ({ taskId, chatId: "chat", eventId: index + 1, event }));

/** The task after these events. */
function after(...bodies: Body[]): ConversationTask {
  const [task] = foldAll(log(bodies)).tasks;
  if (!task) throw new Error("There is no task");
  return task;
}

const started = { type: "task_started", data: { task_id: "a" } };
const says = (content: string) => ({ type: "text_delta", content, data: { content } });
const call = (id: string, iteration = 1, index = 0) => ({
  iteration,
  index,
  total: 1,
  id,
  name: "bash_exec",
});
const begins = (id: string, fields = {}) => ({
  type: "tool_start",
  tool: "bash_exec",
  args: { command: "ls" },
  data: { ...call(id), parameters: { command: "ls" }, ...fields },
});
const ends = (id: string, success = true, type = "tool_result", fields = {}) => ({
  type,
  tool: "bash_exec",
  args: { command: "ls" },
  result: { success, output: "x" },
  data: { ...call(id), parameters: { command: "ls" }, result: { success, output: "x" }, ...fields },
});
const progresses = (id: string, message: string) => ({
  type: "tool_progress",
  data: { ...call(id), message, progress: 1, total: 2 },
});
const step = (iteration: number, response_text: string, fields = {}) => ({
  type: "agent_step",
  data: { iteration, response_text, is_complete: false, tool_calls: [], tool_results: [], ...fields },
});
const restart = (iteration: number) => ({ type: "turn_restarted", data: { iteration, reason: "crash" } });
const asks = (approval_id: string, tool_call_id: string) => ({
  type: "approval_required",
  tool: "bash_exec",
  args: { command: "ls" },
  data: { approval_id, tool_call_id, expires_at: "2026-01-01T00:00:00Z" },
});
const answers = (approval_id: string, verdict: string, fields = {}) => ({
  type: "approval_answered",
  tool: "bash_exec",
  data: { approval_id, verdict, ...fields },
});
const done = (status: string, fields = {}) => ({ type: "done", status, response: "The end", ...fields });

describe("a conversation", () => {
  it("has the newest progress of a call while it runs, and none after its end", () => {
    const running = [started, begins("c"), progresses("c", "one"), progresses("c", "two")];
    expect(after(...running).turns[0]?.calls[0]?.progress).toEqual({ message: "two", progress: 1, total: 2 });
    const over = after(...running, ends("c"), progresses("c", "late"), progresses("other", "x"));
    expect(over.turns[0]?.calls).toHaveLength(1);
    expect(over.turns[0]?.calls[0]?.progress).toBeUndefined();
  });

  it("has the turns of a task with text, calls and results", () => {
    const task = after(
      started,
      says("Let me "),
      says("look."),
      begins("1"),
      ends("1"),
      begins("2", { index: 1 }),
      ends("2", false, "tool_call", { index: 1 }),
      step(1, "Let me look.", { thought: "Hm." }),
      says("It is "),
    );
    expect(task.status).toBe("running");
    expect(isRunning(task)).toBe(true);
    expect(task.turns).toMatchObject([
      {
        iteration: 1,
        text: "Let me look.",
        thinking: "Hm.",
        isComplete: true,
        calls: [
          { id: "1", tool: "bash_exec", args: { command: "ls" }, state: "done", result: { output: "x" } },
          { id: "2", state: "failed" },
        ],
      },
      { iteration: undefined, text: "It is ", calls: [], isComplete: false },
    ]);
  });

  it("has the duration of a call when the service sends both times", () => {
    const task = after(
      started,
      begins("1", { timestamp: "2026-01-01T00:00:00.000Z" }),
      ends("1", true, "tool_result", { timestamp: "2026-01-01T00:00:01.500Z" }),
      begins("2"),
      ends("2", true, "tool_result", { timestamp: "2026-01-01T00:00:01.500Z" }),
    );
    expect(task.turns[0]?.calls.map(({ durationMs }) => durationMs)).toEqual([1_500, undefined]);
  });

  it("takes back a turn that starts over: its text, its calls, and questions about them", () => {
    const task = after(
      started,
      says("first"),
      step(1, "first"),
      says("sec"),
      begins("2", { iteration: 2 }),
      asks("p", "2"),
      restart(2),
      says("again"),
    );
    expect(task.turns).toMatchObject([
      { iteration: 1, text: "first" },
      { iteration: 2, text: "again", calls: [], isComplete: false },
    ]);
    expect(task.approvals).toEqual([]);
  });

  it("has the approvals, open and answered", () => {
    const open = after(started, begins("1"), asks("p", "1"));
    expect(open.approvals).toMatchObject([{ approvalId: "p", toolCallId: "1", state: "open" }]);
    const allowed = after(started, begins("1"), asks("p", "1"), answers("p", "allowed"));
    expect(allowed.approvals).toMatchObject([{ state: "allowed" }]);
    const refused = after(started, asks("p", "1"), asks("q", "2"), answers("p", "refused", { reason: "No" }));
    expect(refused.approvals).toMatchObject([{ state: "refused", reason: "No" }, { state: "open" }]);
  });

  it("has plan, credits, title, error and end", () => {
    const task = after(
      started,
      { type: "plan_update", data: { steps: ["one"] } },
      { type: "credits_used", data: { credits_deducted: 2, new_balance: 98 } },
      { type: "credits_used", data: { credits_deducted: 3, new_balance: 95 } },
      { type: "chat_title", data: { title: "Look" } },
      begins("1"),
      asks("p", "1"),
      { type: "error", error: "It broke", content: "It broke", data: { message: "It broke" } },
      { type: "complete", status: "failed", response: null, data: { success: false } },
      done("failed", { error: "It broke" }),
    );
    expect(task).toMatchObject({
      status: "failed",
      plan: { steps: ["one"] },
      creditsUsed: 5,
      creditsLeft: 95,
      title: "Look",
      error: "It broke",
      response: "The end",
    });
    expect(task.turns[0]?.calls[0]?.state).toBe("failed");
    expect(task.approvals[0]?.state).toBe("refused");
    expect(isRunning(task)).toBe(false);
  });

  it("knows a message before its task begins, and what it waits for until then", () => {
    const first = { taskId: "a", chatId: "chat", eventId: 0 };
    const message = { ...first, event: { type: "user_message", content: "Hello" } };
    const waits = { ...first, event: { type: "waiting", content: "Behind another" } };
    const queued = foldAll([message, waits]);
    expect(queued.tasks).toMatchObject([{ message: "Hello", status: "queued", waiting: "Behind another" }]);
    const running = foldAll([...log([started]), waits, message], queued);
    expect(running.tasks).toMatchObject([{ message: "Hello", status: "running", waiting: undefined }]);
  });

  it("takes no harm from what it does not know", () => {
    const before = foldAll(log([started, says("x")]));
    const odd: ChatEvent[] = [
      { taskId: "a", chatId: "chat", eventId: 0, event: { type: "error", message: "Try again" } },
      { taskId: "z", chatId: "", eventId: 0, event: { type: "error", message: "Not found" } },
    ];
    expect(foldAll(odd, before)).toBe(before);
    const [task] = foldAll(log([started, says("x"), { type: "brand_new", data: 5 }]), before).tasks;
    expect(task).toMatchObject({ lastEventId: 3, turns: [{ text: "x" }] });
  });

  it("is made of the messages of a chat, too; a task that goes on is left to its events", () => {
    const steps = [
      {
        iteration: 1,
        thought: null,
        tool_calls: [
          { name: "bash_exec", parameters: { command: "ls" }, result: { success: true, output: "x" } },
        ],
        response_text: "Look",
        is_complete: true,
      },
    ];
    const answer = (task_id: string, fields: object) => ({
      role: "assistant",
      chat_id: "chat",
      content: "Answer",
      message_metadata: { task_id, steps, ...fields },
    });
    const { tasks } = conversationOf([
      { role: "user", content: "Hello" },
      answer("a", { completion_reason: "task_complete" }),
      { role: "user", content: "And?" },
      answer("b", { completion_reason: "error", error: "It broke" }),
      { role: "user", content: "Now?" },
      answer("c", { completion_reason: "in_progress" }),
    ]);
    expect(tasks).toMatchObject([
      { taskId: "a", message: "Hello", status: "completed", response: "Answer" },
      { taskId: "b", message: "And?", status: "failed", error: "It broke" },
    ]);
    expect(tasks[0]?.turns).toMatchObject([
      { text: "Look", calls: [{ tool: "bash_exec", state: "done", result: { success: true, output: "x" } }] },
    ]);
    expect(foldAll(log([started, says("again")]), { tasks }).tasks[0]?.turns).toHaveLength(1);
  });
});

// ── For every log

const id = fc.constantFrom("1", "2", "3");
const body: fc.Arbitrary<Body> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 5 }).map(says) },
  id.map((each) => begins(each)),
  fc.tuple(id, fc.boolean(), fc.constantFrom("tool_result", "tool_call")).map((each) => ends(...each)),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string({ maxLength: 5 })).map((each) => step(...each)),
  fc.integer({ min: 1, max: 4 }).map(restart),
  fc.tuple(id, id).map((each) => asks(...each)),
  fc.tuple(id, fc.constantFrom("allowed", "refused")).map((each) => answers(...each)),
  fc.constant({ type: "credits_used", data: { credits_deducted: 1, new_balance: 5 } }),
  fc.record({ type: fc.string(), data: fc.anything() }),
);
const logOf = (taskId: string) =>
  fc
    .tuple(
      fc.array(body, { maxLength: 30, size: "max" }),
      fc.constantFrom("completed", "failed", "cancelled"),
    )
    .map(([bodies, status]) => log([started, ...bodies, done(status)], taskId));

const byId = (tasks: readonly ConversationTask[]) => tasks.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1));

describe("for every log", () => {
  it("a prefix, and then a replay from any event before its end, is the same as the log", () => {
    const cuts = fc.array(fc.tuple(fc.nat(32), fc.nat(32)), { maxLength: 4 });
    fc.assert(
      fc.property(logOf("a"), cuts, (events, parts) => {
        let [conversation, reached] = [emptyConversation(), 0];
        for (const [back, ahead] of parts) {
          const from = Math.max(0, reached - back);
          const to = Math.min(events.length, reached + ahead);
          conversation = foldAll(events.slice(from, to), conversation);
          reached = Math.max(reached, to);
        }
        conversation = foldAll(events.slice(reached), conversation);
        expect(conversation).toEqual(foldAll(events));
      }),
    );
  });

  it("tasks that come mixed are the same as tasks that come one after the other", () => {
    const both = fc.tuple(logOf("a"), logOf("b"), fc.array(fc.boolean(), { minLength: 70, maxLength: 70 }));
    fc.assert(
      fc.property(both, ([first, second, order]) => {
        const rests: readonly [ChatEvent[], ChatEvent[]] = [[...first], [...second]];
        const mixed = order.flatMap((isFirst) => rests[isFirst ? 0 : 1].splice(0, 1));
        const live = foldAll([...mixed, ...rests[0], ...rests[1]]);
        expect(byId(live.tasks)).toEqual(foldAll([...first, ...second]).tasks);
      }),
    );
  });

  it("no conversation is changed, and one whose events are repeated stays itself", () => {
    fc.assert(
      fc.property(logOf("a"), (events) => {
        const states = events.reduce<Conversation[]>(
          (before, event) => [...before, fold(before.at(-1) ?? emptyConversation(), event)],
          [],
        );
        const copies = structuredClone(states);
        const last = states.at(-1) ?? emptyConversation();
        expect(foldAll(events, last)).toBe(last);
        expect(states).toEqual(copies);
      }),
    );
  });
});
