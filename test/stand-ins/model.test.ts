import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, describe, expect, it } from "vitest";
import { startDemoModel } from "#stand-ins/model/index.ts";
import { explain } from "#stand-ins/model/explain.ts";
import { starterOf } from "#stand-ins/model/starters.ts";

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

const model = await startDemoModel();
const client = new OpenAI({ baseURL: model.url, apiKey: "none", maxRetries: 0 });
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

/** The result of a call that lists these files. */
const listing = (...paths: string[]) =>
  `Listed.\n${JSON.stringify({ entries: paths.map((path) => ({ path, type: "file", size: 1 })), has_more: false })}`;

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

  it("does what the console offers to begin with: the tests of the function that it writes hold", async () => {
    const { calls, answer } = starterOf({ prompt: "A function in duration.sh, with tests" }) ?? {};
    expect(answer).toContain("{output}");
    const folder = mkdtempSync(join(tmpdir(), "starter-"));
    for (const [, { path: name, content }] of calls ?? [])
      if (content !== undefined) writeFileSync(join(folder, String(name)), String(content));
    const printed = execFileSync("bash", ["duration.test.sh"], { cwd: folder, encoding: "utf8" });
    expect(printed.trim().split("\n")).toHaveLength(5);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      "Readme.MD",
      "Read.\n<content>\n[![badge](b.svg)](b)\n# Garden\n\n**Plans**\nof a [garden](g.md).\n\nMore.\n</content>",
      "> **Plans** of a garden.",
    ],
    ["readme", 'Read.\n{"content":"Say \\"hi\\"."}', '> Say "hi".'],
    ["README.md", "Read.\n<content>\n# Only\n\n- a list\n</content>", "Begin with [README.md](README.md)."],
  ])("explains a project by its files and the beginning of its %s", (name, read, said) => {
    expect(explain([])).toMatchObject(["list_dir", { path: "." }]);
    const listed = listing("src/a.ts", "src/b.ts", "LICENSE", name);
    expect(explain([listed])).toEqual(["read_file", { path: name }]);
    const answer = explain([listed, read]);
    expect(answer).toContain("This project has 4 files: TypeScript (2)");
    expect(answer).toContain(`[${name}](${name})`);
    expect(answer).toContain(said);
  });

  it("explains a project without a README", () => {
    expect(explain([listing("a.png", "b.gif", "Makefile")])).toMatch(
      /^This project has 3 files: images \(2\) and other \(1\)\./u,
    );
    expect(explain([listing()])).toMatch(/^This project has no files yet\./u);
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
