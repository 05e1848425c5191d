import { text } from "node:stream/consumers";
import { LLMock, type ChatCompletionRequest } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "#test/support/strict/answer-refusal.ts";
import type { TaskEvent } from "#test/support/events.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";

const API_KEY = "sk-test-0123456789abcdef";

interface Wire {
  name: string;
  model: string;
  variables: (origin: string) => Record<string, string>;
  /** The path of the provider's API that is called. */
  path: string;
  /** The first frame of an answer that is streamed. */
  opening: string;
}

const wires: Wire[] = [
  {
    name: "an OpenAI-compatible server",
    model: "gpt-5",
    variables: (origin) => ({ OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: `${origin}/v1` }),
    path: "/v1/chat/completions",
    opening: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\n\n',
  },
  {
    name: "an Anthropic-compatible server",
    model: "claude-sonnet-4-5",
    variables: (origin) => ({ ANTHROPIC_API_KEY: API_KEY, ANTHROPIC_BASE_URL: origin }),
    path: "/v1/messages",
    opening:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  },
];

const resultsIn = ({ messages }: ChatCompletionRequest) =>
  messages.filter(({ role }) => role === "tool").length;
const ofType = (events: readonly TaskEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ body }) => body);

/** A model as its vendor's, with a door in front of it that misbehaves when the message says so. */
async function startModel({ opening }: Wire) {
  const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
  const usage = { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 };
  const turn = (message: string, results: number, name: string, args: string, more: object = {}) =>
    mock.on(
      { userMessage: message, predicate: (request) => resultsIn(request) === results },
      { toolCalls: [{ id: `call_${results}`, name, arguments: args }], usage, ...more },
    );

  turn("three tools", 0, "write_file", '{"path":"notes.md","content":"one"}', { content: "I begin." });
  turn("three tools", 1, "bash_exec", '{"command":"cat notes.md; echo two >> notes.md"}');
  turn("three tools", 2, "read_file", '{"path":"notes.md"}');
  mock.onMessage("three tools", { content: "The file has two words.", usage });
  turn("unknown tool", 0, "fly_to_moon", '{"when":"now"}');
  mock.onMessage("unknown tool", { content: "I cannot fly.", usage });
  turn("cut arguments", 0, "write_file", '{"path":"a.txt","cont');
  mock.onMessage("cut arguments", { content: "I see my mistake.", usage });
  turn("bad arguments", 0, "write_file", '{"path":42}');
  mock.onMessage("bad arguments", { content: "I see my mistake.", usage });
  mock.on(
    { userMessage: "too often", sequenceIndex: 0 },
    { error: { message: "Slow down" }, status: 429, retryAfter: 1 },
  );
  mock.onMessage("too often", { content: "Now I have time.", usage });
  mock.onMessage("broken", { error: { message: `Server error for ${API_KEY}` }, status: 500 });
  mock.onMessage("wrong key", { error: { message: `Incorrect API key: ${API_KEY}` }, status: 401 });
  await mock.start();

  const door = await serve(async (request, response) => {
    const body = await text(request);
    const stream = { "content-type": "text/event-stream" };
    if (answerRefusal(request.url ?? "", JSON.parse(body), response)) return;
    if (body.includes("talk nonsense")) response.writeHead(200, stream).end("data: <<<\n\n");
    else if (body.includes("a web page")) response.writeHead(200).end("<html>Welcome</html>");
    else if (body.includes("fall silent")) response.writeHead(200, stream).write(opening);
    else {
      const headers = { ...request.headers, host: "", connection: "close" };
      const answer = await fetch(mock.url + (request.url ?? ""), {
        method: "POST",
        body,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    }
  });
  return {
    origin: door.url,
    mock,
    async close() {
      await door.close();
      await mock.stop();
    },
  };
}

describe.each(wires)("with $name", (wire) => {
  let model: Awaited<ReturnType<typeof startModel>>;
  let service: TestService;
  let client: TaskClient;
  beforeAll(async () => {
    model = await startModel(wire);
    service = await startService({
      ...wire.variables(model.origin),
      DEFAULT_MODEL: wire.model,
      MODEL_STALL_SECONDS: "5",
      MODEL_MAX_RETRIES: "1",
    });
    client = await newTaskClient(service);
  });
  afterAll(async () => {
    await service.close();
    await model.close();
  });

  async function run(message: string) {
    const { task_id: taskId } = await client.start(message);
    const events = await client.end(taskId);
    return { events, status: await client.status(taskId) };
  }
  it("does the whole job: three tools, streamed text, the file, the tokens", async () => {
    const { events, status } = await run("three tools");
    expect(status).toMatchObject({
      status: "completed",
      response: "The file has two words.",
      iterations: 4,
      tool_calls: 3,
      completion_reason: "stop",
    });
    expect(ofType(events, "tool_result")).toMatchObject([
      { tool: "write_file", result: { success: true } },
      { tool: "bash_exec", result: { success: true, stdout: "one" } },
      { tool: "read_file", result: { success: true } },
    ]);
    const streamed = ofType(events, "text_delta").map(({ content }) => content);
    expect(streamed.join("")).toBe("I begin.The file has two words.");
    expect(ofType(events, "complete")).toMatchObject([
      { data: { usage: { input_tokens: 40, output_tokens: 20 } } },
    ]);
    const path = `/api/projects/${client.projectId}/files/notes.md`;
    const { body } = await service.call<{ content: string }>("GET", path, { token: client.account.token });
    expect(body.content).toBe("onetwo\n");
    expect(model.mock.getLastRequest()?.path).toBe(wire.path);
  });

  it("waits and asks again when it is asked too often", async () => {
    expect((await run("too often")).status).toMatchObject({
      status: "completed",
      response: "Now I have time.",
    });
  });

  it("tells the model of a tool that is not there", async () => {
    const { events, status } = await run("unknown tool");
    expect(ofType(events, "tool_error")).toMatchObject([
      { tool: "fly_to_moon", error: expect.stringContaining("fly_to_moon") },
    ]);
    expect(status).toMatchObject({ status: "completed", response: "I cannot fly." });
  });

  it.each([
    ["the tool does not take", "bad arguments", /path/u],
    ["are no JSON", "cut arguments", /JSON|content/u],
  ])("tells the model of arguments that %s", async (_, message, sentence) => {
    const { events, status } = await run(message);
    expect(ofType(events, "tool_error")).toMatchObject([
      { tool: "write_file", error: expect.stringMatching(sentence) },
    ]);
    expect(status).toMatchObject({ status: "completed", response: "I see my mistake." });
  });

  it.each([
    ["fails every time", "broken", /answered 500/u],
    ["refuses the key", "wrong key", /answered 401$/u],
    ["sends text where JSON belongs", "talk nonsense", /not JSON|answer/u],
    ["answers with a web page", "a web page", /answer/u],
    ["falls silent in the middle", "fall silent", /sent nothing for 5 s/u],
  ])(
    "fails the task with a sentence when it %s, and keeps the key to itself",
    async (_, message, sentence) => {
      const { events, status } = await run(message);
      expect(status).toMatchObject({ status: "failed", completion_reason: "model_error" });
      expect(status.error).toMatch(sentence);
      expect(ofType(events, "error")).toMatchObject([
        { error: status.error, data: { message: status.error } },
      ]);
      expect(ofType(events, "done")).toMatchObject([{ status: "failed", error: status.error }]);
      expect(JSON.stringify([events, status])).not.toContain(API_KEY.slice(0, 16));
    },
  );
});
