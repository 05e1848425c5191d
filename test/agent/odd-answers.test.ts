import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { LogWriter } from "#src/agent/log-writer.ts";
import { runTurn } from "#src/agent/run-turn.ts";
import { RunSecrets } from "#src/agent/scrubbing/run-secrets.ts";
import { toolDefinitions } from "#src/agent/tools/index.ts";
import { transcript } from "#src/agent/transcript.ts";
import { TurnRecords } from "#src/agent/turn-records.ts";
import { taskEvents, type Turn } from "#src/domain/agent-work/tasks/index.ts";
import { choosePlatformModel } from "#src/models/choose.ts";
import type { ModelUsage } from "#src/models/model.ts";
import { toStream, type Wire } from "#test/models/answering.ts";
import { fixtureLines } from "#test/models/fixture.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { answerRefusal } from "#test/support/strict/answer-refusal.ts";
import { refusedText } from "#test/support/strict/refusal.ts";
import { toolContext } from "#test/support/tool-context.ts";

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

/** An answer of the server: the frames of a stream, or a refusal. */
type Answer = readonly string[] | { status: number; body: unknown };

/** Runs the turns of a task over HTTP. The server gives the answers in turn, and refuses what a provider would refuse. */
async function work(wire: Wire, answers: readonly Answer[]) {
  let asked = 0;
  const refused: unknown[] = [];
  const server = await serve(async (request, response) => {
    const body: unknown = JSON.parse((await buffer(request)).toString());
    if (answerRefusal(request.url ?? "", body, response)) return void refused.push(body);
    const answer = answers[asked] ?? END[wire];
    asked += 1;
    if ("status" in answer) return void response.writeHead(answer.status).end(JSON.stringify(answer.body));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(toStream(answer));
  });
  const account = { apiKey: "sk-test-0123456789", baseURL: `${server.url}/v1` };
  const model = choosePlatformModel({
    name: MODELS[wire],
    accounts: { openai: account, anthropic: account, demoURL: undefined },
    fetch,
    stallMs: 60_000,
    maxRetries: 1,
  });
  const runtime = new MemoryRuntime();
  const tools = toolContext({ runtime });
  const turns: Turn[] = [];
  const used: ModelUsage[] = [];
  let shrunk = 0;
  const conversation = () => transcript({ history: [], message: "go", turns });
  const turn = () =>
    runTurn({
      iteration: turns.length + 1,
      request: {
        model,
        system: "You are a test.",
        definitions: toolDefinitions(tools, null),
        seal: async (part) => JSON.stringify(part),
        window: {
          messages: async () => conversation(),
          shrink: async () => {
            shrunk += 1;
            return conversation();
          },
        },
      },
      calls: { tools, gate: { enter: async () => ({ allowed: true }) }, beforeChange: async () => undefined },
      log: {
        records: new TurnRecords(turns.length + 1, []),
        writer: new LogWriter({
          append: async () => ({ stale: false, stop: null }),
          textEvent: taskEvents.textDelta,
          onStop: () => {},
          sparingAfter: 100,
        }),
      },
      secrets: new RunSecrets({ load: async () => [], files: runtime, onUnreadable: () => {} }),
      observer: { modelUsed: (usage) => used.push(usage), said: () => {}, toolFailed: () => {} },
    });
  let failure: unknown;
  try {
    while (turns.length < 5 && !turns.at(-1)?.is_complete) turns.push((await turn()).turn);
  } catch (error) {
    failure = error;
  } finally {
    await server.close();
  }
  const fileText = async (path: string) =>
    new TextDecoder().decode((await runtime.readFile(path)) ?? new Uint8Array());
  return { turns, failure, used, shrunk, asked, refused, fileText };
}

const wires: Wire[] = ["openai", "anthropic"];

describe.each(wires)("an agent whose model answers oddly, on the wire of %s", (wire) => {
  const fixture = (name: string) => fixtureLines(`${wire}-${name}`);

  it.each(["name-with-prefix", "name-with-channel"])("runs the tool that is meant: %s", async (name) => {
    const { turns, refused, fileText } = await work(wire, [await fixture(name)]);
    expect(turns).toMatchObject([
      { tool_calls: [{ name: "write_file", result: { success: true } }] },
      { response_text: "Done." },
    ]);
    expect(await fileText("a.txt")).toBe("a");
    expect(refused).toEqual([]);
  });

  it("tells the model which names are none, and goes on", async () => {
    const { turns, refused } = await work(wire, [await fixture("names-that-are-none")]);
    expect(turns).toHaveLength(2);
    for (const { result } of turns[0]?.tool_calls ?? []) {
      expect(result).toMatchObject({
        success: false,
        error: expect.stringMatching(/There is no tool named/u),
      });
    }
    expect(refused).toEqual([]);
  });

  it("keeps and sends only whole characters", async () => {
    const { turns, refused, fileText } = await work(wire, [await fixture("lone-surrogates")]);
    expect(turns[1]).toMatchObject({ response_text: "Done." });
    expect(refusedText(turns)).toBeUndefined();
    expect(await fileText("a.txt")).toMatch(/^x\uFFFDy\0z /u);
    expect(refused).toEqual([]);
  });

  it("answers arguments that nest too deep at once", async () => {
    const deep = `{"file_path":"a.txt","content":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const { turns, refused, asked } = await work(wire, [calling(wire, deep)]);
    expect(turns[0]?.tool_calls).toMatchObject([
      { parameters: {}, result: { success: false, error: expect.stringMatching(/more than 100 levels/u) } },
    ]);
    expect([turns.length, asked, refused]).toEqual([2, 2, []]);
  });

  it.each(["cut-in-text", "cut-after-a-call"])(
    "asks again, and fails, where the end never comes: %s",
    async (name) => {
      const cut = await fixture(name);
      const once = await work(wire, [cut]);
      expect(once).toMatchObject({ asked: 2, turns: [{ response_text: "Done.", tool_calls: [] }] });
      const { turns, failure, asked } = await work(wire, [cut, cut, cut]);
      expect(failure).toMatchObject({
        code: "bad_response",
        message: expect.stringMatching(/before the answer was complete/u),
      });
      expect([turns, asked]).toEqual([[], 2]);
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
    const broken = wire === "openai" ? [String(call[0]).replace('"tool_calls"}]', "null}]")] : call;
    expect((await work(wire, [broken, broken])).used).toMatchObject([
      { outputTokens: expect.toSatisfy((tokens: number) => tokens > 10) },
    ]);
  });
});
