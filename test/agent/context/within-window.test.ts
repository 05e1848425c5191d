import { describe, expect, it } from "vitest";
import { Compaction } from "#src/agent/context/compaction.ts";
import { ConversationWindow, type WindowedContext } from "#src/agent/context/within-window.ts";
import type { Conversation } from "#src/agent/context/transcript.ts";
import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { estimateTokens } from "#src/models/estimate-tokens.ts";
import type { Model, ModelError, ModelMessage, ModelUsage } from "#src/models/model.ts";
import { answeringModel, modelError, never, questionOf } from "#test/support/answering-model.ts";
import { expectValid, shownTurns, turn } from "./conversation.ts";

const WINDOW = 100_000;
const MESSAGE = "Rewrite the planner, and keep the colour of the tulips.";

/** A task whose calls are made as the executor makes them: from the stored state alone. */
class Task {
  readonly turns: Turn[] = [];
  readonly stored: { json: string; usage: ModelUsage | undefined }[] = [];
  readonly failures: ModelError[] = [];
  readonly #model: Model;
  readonly #rest: Partial<Conversation>;

  constructor(model: Model, rest: Partial<Conversation> = {}) {
    this.#model = model;
    this.#rest = rest;
  }

  get compaction(): Compaction | null {
    const json = this.stored.at(-1)?.json;
    return json === undefined ? null : Compaction.parse(JSON.parse(json));
  }

  /** So many turns more, each with a text of this size. */
  says(count: number, chars: number, results: readonly string[] = []): void {
    for (let each = 0; each < count; each += 1) {
      this.turns.push(turn(this.turns.length + 1, results, { text: "w".repeat(chars) }));
    }
  }

  context(changes: Partial<WindowedContext> = {}): WindowedContext {
    return {
      system: "You are a test.",
      tools: [],
      conversation: { history: [], message: MESSAGE, turns: this.turns, ...this.#rest },
      model: this.#model,
      window: WINDOW,
      compaction: this.compaction,
      signal: never(),
      onCompacted: async (compaction, usage) => {
        this.stored.push({ json: JSON.stringify(compaction), usage });
      },
      onSummaryFailed: (error) => this.failures.push(error),
      ...changes,
    };
  }

  /** The messages that the model is sent. `takes` is the provider's limit, in tokens by our estimate. */
  async ask({ takes = Infinity, ...changes }: Partial<WindowedContext> & { takes?: number } = {}) {
    const window = new ConversationWindow(this.context(changes));
    let messages = await window.messages();
    while (tokensOf(messages) > takes) messages = await window.shrink(modelError("context_too_long"));
    return messages;
  }
}

const tokensOf = (messages: ModelMessage[]) =>
  estimateTokens({ system: "You are a test.", tools: [], messages });
const textOf = (messages: readonly ModelMessage[]) => JSON.stringify(messages);

/** So many messages of a chat. */
const said = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `said ${at + 1}.`,
  }));

describe("a call within the window", () => {
  it("shows a small conversation as it is, and asks for no summary", async () => {
    const { model, requests } = answeringModel(() => "a summary");
    const task = new Task(model);
    task.turns.push(turn(1, ["one"]), turn(2, ["two"]));
    const messages = await task.ask();
    expect(messages).toHaveLength(5);
    expect(requests).toEqual([]);
    expect(task.stored).toEqual([]);
  });

  it("folds the older half of many messages before the task, however small, and then leaves them", async () => {
    const { model, requests } = answeringModel(() => "a summary that is longer than all that was said");
    const few = new Task(model, { history: said(40) });
    expect(await few.ask()).toHaveLength(41);
    expect(requests).toEqual([]);
    const many = new Task(model, { history: said(41) });
    const messages = await many.ask();
    expect(requests).toHaveLength(1);
    expect(textOf(messages)).toContain("said 22.");
    expect(textOf(messages)).not.toContain("said 21.");
    expect(many.compaction).toMatchObject({ keptHistory: 20, throughIteration: 0, summaries: 1 });
    many.turns.push(turn(1, ["r".repeat(300)]));
    expect(await many.ask()).toHaveLength(messages.length + 2);
    expect(requests).toHaveLength(1);
  });

  it("empties old results first, without asking the model", async () => {
    const { model, requests } = answeringModel(() => "a summary");
    const task = new Task(model);
    for (let iteration = 1; iteration <= 12; iteration += 1) {
      task.turns.push(turn(iteration, ["r".repeat(28_000)]));
    }
    const messages = await task.ask();
    expect(requests).toEqual([]);
    expect(task.stored).toMatchObject([{ usage: undefined }]);
    expect(shownTurns(messages)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(messages[2]?.content).toContain("no longer shown");
    expect(messages.at(-1)?.content).toBe("r".repeat(28_000));
  });

  it("goes on with an outline when no summary can be had, and stops asking after three failures", async () => {
    const { model, requests } = answeringModel(() => modelError("overloaded", true));
    const task = new Task(model);
    for (let iteration = 1; iteration <= 90; iteration += 1) {
      task.turns.push(turn(iteration, ["done"], { text: `said ${iteration} ${"w".repeat(12_000)}` }));
      const messages = await task.ask();
      expect(tokensOf(messages)).toBeLessThan(WINDOW);
      expectValid(messages);
    }
    expect(requests).toHaveLength(3);
    expect(task.failures).toHaveLength(3);
    expect(task.stored.length).toBeGreaterThan(3);
    const messages = await task.ask();
    expect(textOf(messages)).toContain("left out without a summary");
    expect(textOf(messages)).toContain("bash_exec(");
  });

  it("counts failures in a row only", async () => {
    let asked = 0;
    const { model } = answeringModel(() => ((asked += 1) % 3 === 0 ? "a summary" : modelError("stalled")));
    const task = new Task(model);
    for (let each = 0; each < 100; each += 1) {
      task.says(1, 20_000);
      await task.ask();
    }
    expect(asked).toBeGreaterThan(6);
    expect(task.compaction?.failures).toBeLessThan(3);
  });

  it("takes the chat's summary and the record so far into each new one", async () => {
    const { model, requests } = answeringModel((request) => `${questionOf(request).length}`);
    const task = new Task(model, { chatSummary: "the chat began with tulips" });
    task.says(20, 20_000);
    await task.ask();
    expect(questionOf(requests[0])).toContain("<record>\nthe chat began with tulips\n</record>");
    const first = task.compaction?.summary;
    task.says(20, 20_000);
    await task.ask();
    expect(questionOf(requests[1])).toContain(`<record>\n${first}\n</record>`);
  });

  it("bounds what a summary is made from by half the window", async () => {
    const { model, requests } = answeringModel(() => "a summary");
    const task = new Task(model);
    task.says(90, 9_000, ["r".repeat(30_000)]);
    await task.ask();
    expect(requests).toHaveLength(1);
    expect(requests.map(estimateTokens)).toEqual([expect.toSatisfy((size) => size < WINDOW * 0.6)]);
  });

  it("tries a summary again from less when even that was too long", async () => {
    const sizes: number[] = [];
    const { model } = answeringModel((request) => {
      sizes.push(estimateTokens(request));
      return sizes.length === 1 ? modelError("context_too_long") : "a summary";
    });
    const task = new Task(model);
    task.says(60, 9_000);
    await task.ask();
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.7);
    expect(task.failures).toEqual([]);
    expect(task.compaction?.summary).toBe("a summary");
  });

  it("shortens the results of a turn that is too large by itself, and no others later", async () => {
    const { model } = answeringModel(() => "a summary");
    const task = new Task(model);
    task.turns.push(
      turn(
        1,
        Array.from({ length: 20 }, () => "r".repeat(30_000)),
      ),
    );
    const messages = await task.ask();
    expect(tokensOf(messages)).toBeLessThan(WINDOW * 0.8);
    expectValid(messages);
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(20);
    task.turns.push(turn(2, ["n".repeat(30_000)]));
    expect((await task.ask()).at(-1)?.content).toBe("n".repeat(30_000));
  });

  it("believes the provider's count of tokens where it is above the estimate", async () => {
    const { model, requests } = answeringModel(() => "a summary");
    const task = new Task(model);
    // 45,000 tokens by estimate; the provider counted twice as many.
    for (let iteration = 1; iteration <= 18; iteration += 1) {
      const counted = 5_000 * (iteration - 1);
      task.turns.push(turn(iteration, [], { text: "語".repeat(3_334), inputTokens: counted }));
    }
    await task.ask();
    expect(requests).toHaveLength(1);
    expect(task.compaction?.scale).toBeGreaterThan(1.8);
  });

  it("compacts harder, once, what the provider refuses as too long, and remembers how much it takes", async () => {
    const { model } = answeringModel(() => "a summary");
    const task = new Task(model);
    for (let iteration = 1; iteration <= 90; iteration += 1) {
      task.turns.push(turn(iteration, ["r".repeat(3_000)]));
      const messages = await task.ask({ takes: 20_000 });
      expect(tokensOf(messages)).toBeLessThanOrEqual(20_000);
      expectValid(messages);
    }
    expect(task.compaction?.window).toBeLessThan(21_000);
    const refusals = task.stored.filter(({ json }) => /"window":\d/u.test(json));
    expect(refusals.length).toBeGreaterThan(0);
  });

  it("numbers the summaries, so that two of one turn are two calls", async () => {
    const { model, requests } = answeringModel(() => "a summary");
    const task = new Task(model);
    task.says(30, 14_000);
    await task.ask({ takes: 15_000 });
    expect(requests).toHaveLength(2);
    expect(task.stored.map(({ json }) => JSON.parse(json).summaries)).toEqual([1, 2]);
    expect(task.stored.every(({ usage }) => usage)).toBe(true);
  });

  it("notes a summary that frees nothing, and asks for none again in that turn", async () => {
    const { model, requests } = answeringModel(() => "s".repeat(8_000));
    const task = new Task(model, { message: "m".repeat(364_000) });
    task.turns.push(turn(1, [], { text: `said 1 ${"w".repeat(6_000)}` }));
    task.turns.push(turn(2, [], { text: `said 2 ${"w".repeat(16_000)}` }));
    for (let each = 1; each <= 2; each += 1) {
      expect(shownTurns(await task.ask())).toHaveLength(2);
    }
    expect(requests).toHaveLength(1);
    expect(task.stored).toMatchObject([{ usage: { inputTokens: 10 } }]);
    expect(task.compaction).toMatchObject({ summary: "", summaries: 1 });
  });

  it("says clearly that a conversation is too long when nothing more can be left out", async () => {
    const { model } = answeringModel(() => "a summary");
    const task = new Task(model, { message: "m".repeat(80_000) });
    await expect(task.ask({ takes: 10_000 })).rejects.toMatchObject({
      code: "context_too_long",
      retryable: false,
      message: expect.stringMatching(/too long for answering.*new chat/u),
    });
  });

  it("ends with the signal's reason when aborted while it summarises", async () => {
    const caller = new AbortController();
    const reason = new Error("the task was cancelled");
    const { model } = answeringModel(() => {
      caller.abort(reason);
      return modelError("connection");
    });
    const task = new Task(model);
    task.says(30, 20_000);
    await expect(task.ask({ signal: caller.signal })).rejects.toBe(reason);
    expect(task.stored).toEqual([]);
  });
});
