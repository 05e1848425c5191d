import { describe, expect, it } from "vitest";
import { ModelError, type Model, type ModelEvent } from "#src/models/model.ts";
import { withRetries } from "#src/models/with-retries.ts";

const request = { system: "", messages: [], tools: [] };
const hello: ModelEvent = { type: "text_delta", text: "Hello" };
const finished: ModelEvent = {
  type: "finished",
  text: "Hello",
  toolCalls: [],
  finishReason: "stop",
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0 },
};
const overloaded = (retryAfterMs?: number) =>
  new ModelError("overloaded", "openai answered 503", { retryable: true, retryAfterMs });

/** A model whose attempts are scripted: the events of each, then its error if there is one. */
function scripted(...attempts: (ModelEvent | Error)[][]) {
  let asked = 0;
  const model: Model = {
    name: "m",
    provider: "p",
    async *stream() {
      const script = attempts[asked] ?? [];
      asked += 1;
      for (const step of script) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  return { model, asked: () => asked };
}

function retrying(model: Model, maxRetries: number) {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const patient = withRetries(model, { maxRetries, baseDelayMs: 100, sleep, random: () => 0.5 });
  return { slept, events: () => Array.fromAsync(patient.stream(request, new AbortController().signal)) };
}

describe("withRetries", () => {
  it("asks again with growing waits, and says nothing of attempts that streamed nothing", async () => {
    const { model, asked } = scripted([overloaded()], [overloaded()], [hello, finished]);
    const { slept, events } = retrying(model, 3);
    expect(await events()).toEqual([hello, finished]);
    expect(asked()).toBe(3);
    expect(slept).toEqual([75, 150]);
  });

  it("announces that the answer starts over once something was streamed", async () => {
    const { model } = scripted([hello, overloaded()], [overloaded()], [hello, finished]);
    expect(await retrying(model, 3).events()).toEqual([
      hello,
      { type: "restarted", attempt: 2, reason: "openai answered 503" },
      hello,
      finished,
    ]);
  });

  it("throws the last error when its attempts are used up", async () => {
    const last = overloaded();
    const { model, asked } = scripted([overloaded()], [hello, last], [finished]);
    await expect(retrying(model, 1).events()).rejects.toBe(last);
    expect(asked()).toBe(2);
  });

  it.each([
    ["a failure that is final", new ModelError("unauthorized", "no", { retryable: false })],
    ["an error that is not the model's", new TypeError("a bug")],
  ])("does not retry %s", async (_, error) => {
    const { model, asked } = scripted([error], [finished]);
    await expect(retrying(model, 3).events()).rejects.toBe(error);
    expect(asked()).toBe(1);
  });

  it.each([
    [2000, 2000],
    [10, 75],
    [3_600_000, 30_000],
  ])("asked to wait %d ms, waits %d", async (retryAfterMs, expected) => {
    const { slept, events } = retrying(scripted([overloaded(retryAfterMs)], [finished]).model, 1);
    await events();
    expect(slept).toEqual([expected]);
  });

  it("ends with the signal's reason when aborted while it waits", async () => {
    const caller = new AbortController();
    const reason = new Error("cancelled");
    const { model, asked } = scripted([hello, overloaded()], [finished]);
    const patient = withRetries(model, { maxRetries: 3, baseDelayMs: 3_600_000 });
    const reading = (async () => {
      for await (const event of patient.stream(request, caller.signal)) {
        if (event.type === "restarted") queueMicrotask(() => caller.abort(reason));
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(asked()).toBe(1);
  });
});
