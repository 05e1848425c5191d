import { describe, expect, it } from "vitest";
import { choosePlatformModel } from "#src/models/choose.ts";
import type { Model } from "#src/models/model.ts";
import type { Wire } from "#test/models/answering.ts";
import { fixtureLines } from "#test/models/fixture.ts";
import { refusedText } from "#test/support/strict/refusal.ts";
import { workOverHttp, type Answer } from "./work-over-http.ts";

const MODELS = { openai: "gpt-5", anthropic: "claude-sonnet-4-6" };

const END: Record<Wire, string[]> = {
  openai: ['{"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}'],
  anthropic: [
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Done."}}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    '{"type":"message_stop"}',
  ],
};

/** A call of `write_file` on a wire. */
function calling(wire: Wire, args: string): string[] {
  if (wire === "openai") {
    const call = { index: 0, id: "call_1", function: { name: "write_file", arguments: args } };
    return [
      JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] }),
    ];
  }
  const block = { type: "tool_use", id: "toolu_1", name: "write_file", input: {} };
  const frames = [
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  ];
  return frames.map((frame) => JSON.stringify(frame));
}

/** Runs a task with a model of the wire, whose server ends the task once the answers are given. */
const work = (wire: Wire, answers: readonly Answer[]) =>
  workOverHttp((url) => connect(wire, url), [...answers, END[wire]]);

function connect(wire: Wire, url: string): Model {
  const account = { apiKey: "sk-test-0123456789", baseURL: `${url}/v1` };
  return choosePlatformModel({
    name: MODELS[wire],
    accounts: { openai: account, anthropic: account, demoURL: undefined },
    fetch,
    stallMs: 60_000,
    maxRetries: 1,
  });
}

const wires: Wire[] = ["openai", "anthropic"];

describe.each(wires)("an agent whose model answers oddly, on the wire of %s", (wire) => {
  const fixture = (name: string) => fixtureLines(`${wire}-${name}`);

  it.each(["name-with-prefix", "name-with-channel"])("runs the tool that is meant: %s", async (name) => {
    const { turns, refusals, fileText } = await work(wire, [await fixture(name)]);
    expect(turns).toMatchObject([
      { tool_calls: [{ name: "write_file", result: { success: true } }] },
      { response_text: "Done." },
    ]);
    expect(await fileText("a.txt")).toBe("a");
    expect(refusals).toEqual([]);
  });

  it("tells the model which names are none, and goes on", async () => {
    const { turns, refusals } = await work(wire, [await fixture("names-that-are-none")]);
    expect(turns).toHaveLength(2);
    for (const { result } of turns[0]?.tool_calls ?? []) {
      expect(result).toMatchObject({
        success: false,
        error: expect.stringMatching(/There is no tool named/u),
      });
    }
    expect(refusals).toEqual([]);
  });

  it("keeps and sends only whole characters", async () => {
    const { turns, refusals, fileText } = await work(wire, [await fixture("lone-surrogates")]);
    expect(turns[1]).toMatchObject({ response_text: "Done." });
    expect(refusedText(turns)).toBeUndefined();
    expect(await fileText("a.txt")).toMatch(/^x\uFFFDy\0z /u);
    expect(refusals).toEqual([]);
  });

  it("answers arguments that nest too deep at once", async () => {
    const deep = `{"file_path":"a.txt","content":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const { turns, refusals, bodies } = await work(wire, [calling(wire, deep)]);
    expect(turns[0]?.tool_calls).toMatchObject([
      { parameters: {}, result: { success: false, error: expect.stringMatching(/more than 100 levels/u) } },
    ]);
    expect([turns.length, bodies.length, refusals]).toEqual([2, 2, []]);
  });

  it.each(["cut-in-text", "cut-after-a-call"])(
    "asks again, and fails, where the end never comes: %s",
    async (name) => {
      const cut = await fixture(name);
      const once = await work(wire, [cut]);
      expect(once.turns).toMatchObject([{ response_text: "Done.", tool_calls: [] }]);
      expect(once.bodies).toHaveLength(2);
      const { turns, failure, bodies } = await work(wire, [cut, cut]);
      expect(failure).toMatchObject({
        code: "bad_response",
        message: expect.stringMatching(/before the answer was complete/u),
      });
      expect([turns, bodies.length]).toEqual([[], 2]);
    },
  );

  it("keeps thinking out of the answer", async () => {
    const { turns } = await work(wire, [await fixture("think")]);
    expect(turns).toMatchObject([{ response_text: "Here it is.", thought: "\nThe user wants x.\n" }]);
  });

  it("shortens the conversation where the server says in its own words that it is too long", async () => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";
    const { turns, shrunk } = await work(wire, [
      { status: 400, body: { object: "error", message, code: 400 } },
    ]);
    expect([turns[0]?.response_text, shrunk]).toEqual(["Done.", 1]);
  });

  it("counts what a model thought and wrote before it broke off", async () => {
    const frames = (await fixture("think")).slice(0, 4);
    const { used } = await work(wire, [frames, frames]);
    expect(used).toMatchObject([{ outputTokens: expect.toSatisfy((tokens: number) => tokens > 1) }]);
    const call = calling(wire, '{"file_path":"a.txt","content":"many words').slice(0, 2);
    const broken = wire === "openai" ? [(call[0] ?? "").replace('"tool_calls"}]', "null}]")] : call;
    expect((await work(wire, [broken, broken])).used).toMatchObject([
      { outputTokens: expect.toSatisfy((tokens: number) => tokens > 10) },
    ]);
  });
});
