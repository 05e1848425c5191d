import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoModel } from "#local/model/index.ts";

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

let model: Awaited<ReturnType<typeof startDemoModel>>;
let client: OpenAI;

beforeAll(async () => {
  model = await startDemoModel();
  client = new OpenAI({ baseURL: model.url, apiKey: "none", maxRetries: 0 });
});
afterAll(() => model.close());

const tool = (name: string, ...parameters: string[]): OpenAI.Chat.ChatCompletionTool => ({
  type: "function",
  function: {
    name,
    parameters: {
      type: "object",
      properties: Object.fromEntries(parameters.map((key) => [key, { type: "string" }])),
    },
  },
});
const tools = [tool("write_file", "file_path", "content"), tool("read_file", "file_path")];
const user = (content: string): Messages => [{ role: "user", content }];
const script = (...turns: object[]) => user(`Play this.\n\`\`\`demo\n${JSON.stringify(turns)}\n\`\`\``);

async function stream(messages: Messages, options: { tools?: OpenAI.Chat.ChatCompletionTool[] } = {}) {
  const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
  const answer = await client.chat.completions.create({
    model: "demo",
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...options,
  });
  for await (const chunk of answer) chunks.push(chunk);
  return chunks;
}
const textOf = (chunks: OpenAI.Chat.ChatCompletionChunk[]) =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

describe("the demo model", () => {
  it("greets in several pieces, says what it is, and counts its tokens", async () => {
    const chunks = await stream(user("Hi!"), { tools });
    expect(textOf(chunks)).toContain("demo");
    expect(chunks.filter((chunk) => chunk.choices[0]?.delta.content).length).toBeGreaterThan(5);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    const usage = chunks.at(-1)?.usage;
    expect(usage?.prompt_tokens).toBe(1);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it.each([
    ["Write something to src/app.ts.", "src/app.ts"],
    ["create a file", "hello.txt"],
  ])("writes, reads back and reports when asked: %s", async (prompt, path) => {
    const messages = user(prompt);
    const called: string[] = [];
    let answer: string | undefined;
    while (answer === undefined) {
      const { choices } = await client.chat.completions.create({ model: "demo", messages, tools });
      const message = choices[0]?.message;
      if (!message) throw new Error("no answer");
      messages.push(message);
      if (choices[0]?.finish_reason === "stop") answer = message.content ?? "";
      for (const call of message.tool_calls ?? []) {
        if (call.type !== "function") continue;
        called.push(call.function.name);
        expect(JSON.parse(call.function.arguments)).toMatchObject({ file_path: path });
        messages.push({ role: "tool", tool_call_id: call.id, content: "content of the file" });
      }
    }
    expect(called).toEqual(["write_file", "read_file"]);
    expect(answer).toContain(path);
    expect(answer).toContain("content of the file");
  });

  it("refuses a malformed request as the real one does", async () => {
    const response = await fetch(`${model.url}/chat/completions`, { method: "POST", body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });
});

describe("a script", () => {
  it("is played turn by turn, calls in parallel with ids of their own", async () => {
    const messages = script(
      {
        text: "Working.",
        tools: [
          { name: "a", arguments: { x: 1 } },
          { name: "b", arguments: {} },
        ],
      },
      { text: "done" },
    );
    const first = await client.chat.completions.stream({ model: "demo", messages }).finalChatCompletion();
    const message = first.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message?.content).toBe("Working.");
    expect(calls).toMatchObject([
      { function: { name: "a", arguments: '{"x":1}' } },
      { function: { name: "b", arguments: "{}" } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    messages.push({ role: "assistant", content: "Working." }, { role: "user", content: "again" });
    expect(textOf(await stream(messages))).toContain("demo model");
    messages.splice(2, 1);
    expect(textOf(await stream(messages))).toBe("done");
    messages.push({ role: "assistant", content: "done" });
    expect(textOf(await stream(messages))).toBe("The script is over.");
  });

  it.each([
    ["cuts the text into pieces", { text: "0123456789", chunks: 5 }, ["01", "23", "45", "67", "89"]],
    ["repeats a text that is too short", { text: "ab", chunks: 3 }, ["ab", "ab", "ab"]],
    ["says words by default", { text: "one two  three\n" }, ["one", " two", "  three\n"]],
  ])("%s", async (_, turn, pieces) => {
    const chunks = await stream(script(turn));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content).filter(Boolean)).toEqual(pieces);
  });

  it("fails as often as it says, per conversation", async () => {
    const messages = script({ text: "fine", error: { status: 503, times: 2 } });
    await expect(stream(messages)).rejects.toMatchObject({ status: 503 });
    await expect(stream(messages)).rejects.toMatchObject({ status: 503 });
    expect(textOf(await stream(messages))).toBe("fine");
    await expect(stream(script({ error: { status: 429 } }))).rejects.toMatchObject({ status: 429 });
  });
});
