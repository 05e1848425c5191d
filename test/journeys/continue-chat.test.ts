import { LLMock, type ChatCompletionRequest } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";

/**
 * A model that holds each answer until the test releases it. It answers `re: <the last message>` and records which
 * questions it was asked, in order.
 */
const model = new LLMock({ port: 0, logLevel: "silent" });
let asked: { question: string; conversation: string[] }[] = [];
let gates = new Map<string, PromiseWithResolvers<void>>();

const gateOf = (question: string) => {
  const gate = gates.get(question) ?? Promise.withResolvers<void>();
  gates.set(question, gate);
  return gate;
};
const questions = () => asked.map(({ question }) => question);
const untilAsked = (question: string) => vi.waitFor(() => expect(questions()).toContain(question));

function conversationOf({ messages }: ChatCompletionRequest): string[] {
  return messages
    .filter(({ role }) => role !== "system")
    .map(
      ({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`,
    );
}

let service: TestService;
let client: TaskClient;
beforeAll(async () => {
  model.on({ predicate: () => true }, async (request) => {
    const conversation = conversationOf(request);
    const question = (conversation.at(-1) ?? "").replace("user: ", "");
    if (question === "write a file") {
      const args = JSON.stringify({ file_path: "a.txt", content: "secret words" });
      return { toolCalls: [{ name: "write_file", arguments: args }] };
    }
    if (request.messages.at(-1)?.role === "tool") return { content: "Written." };
    asked.push({ question, conversation });
    await gateOf(question).promise;
    return { content: `re: ${question}` };
  });
  await model.start();
  service = await startService({
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${model.url}/v1`,
    DEFAULT_MODEL: "gpt-5",
  });
  client = await newTaskClient(service);
});
afterAll(async () => {
  await service.close();
  await model.stop();
});
beforeEach(() => {
  asked = [];
  gates = new Map();
});

const statusOf = async (taskId: string) => (await client.status(taskId)).status;

describe("a chat that is continued", () => {
  it("shows the model which tools were called for earlier answers, and how that went", async () => {
    const first = await client.start("write a file");
    await client.end(first.task_id);
    const { task_id: taskId } = await client.start("what now", { chat_id: first.chat_id });
    await untilAsked("what now");
    gateOf("what now").resolve();
    await client.end(taskId);
    expect(asked.at(-1)?.conversation).toEqual([
      "user: write a file",
      "assistant: Written.\n\n[Tools called for this, as the service noted: write_file a.txt ✓]",
      "user: what now",
    ]);
  });

  it("shows the model what was said before", async () => {
    for (const question of ["one", "two", "three"]) gateOf(question).resolve();
    const first = await client.start("one");
    await client.end(first.task_id);
    const second = await client.start("two", { chat_id: first.chat_id });
    expect(second.chat_id).toBe(first.chat_id);
    await client.end(second.task_id);
    await client.end((await client.start("three", { chat_id: first.chat_id })).task_id);
    expect(asked.at(-1)?.conversation).toEqual([
      "user: one",
      "assistant: re: one",
      "user: two",
      "assistant: re: two",
      "user: three",
    ]);
  });

  it("runs one task at a time, in the order in which they came, each with the answers before it", async () => {
    const messages = Array.from({ length: 10 }, (_, index) => `message ${index}`);
    const first = await client.start("message 0");
    const tasks = [first];
    for (const message of messages.slice(1)) {
      tasks.push(await client.start(message, { chat_id: first.chat_id }));
    }
    await untilAsked("message 0");
    expect(await Promise.all(tasks.slice(0, 3).map((task) => statusOf(task.task_id)))).toEqual([
      "running",
      "queued",
      "queued",
    ]);
    for (const [index, message] of messages.entries()) {
      await untilAsked(message);
      expect(questions()).toEqual(messages.slice(0, index + 1));
      gateOf(message).resolve();
    }
    await Promise.all(tasks.map((task) => client.end(task.task_id)));
    expect(asked.at(-1)?.conversation).toEqual(
      messages.flatMap((message) => [`user: ${message}`, `assistant: re: ${message}`]).slice(0, -1),
    );
    const ended = await Promise.all(tasks.map((task) => client.status(task.task_id)));
    for (const [index, task] of ended.entries()) {
      const before = ended[index - 1]?.completed_at ?? "";
      expect(task.status).toBe("completed");
      expect(Date.parse(task.started_at ?? "")).toBeGreaterThanOrEqual(
        before === "" ? 0 : Date.parse(before),
      );
    }
  });

  it("goes on with the next task when one that waits is cancelled", async () => {
    const first = await client.start("holds");
    const [second, third] = [
      await client.start("never asked", { chat_id: first.chat_id }),
      await client.start("goes on", { chat_id: first.chat_id }),
    ];
    await untilAsked("holds");
    expect((await client.cancel(second.task_id)).body.status).toBe("cancelled");
    expect(await client.status(second.task_id)).toMatchObject({ status: "cancelled", iterations: 0 });
    gateOf("holds").resolve();
    gateOf("goes on").resolve();
    expect((await client.end(third.task_id)).at(-1)?.body.status).toBe("completed");
    expect(questions()).toEqual(["holds", "goes on"]);
  });

  it("goes on with the next task when the one that runs is cancelled", async () => {
    const first = await client.start("is stopped");
    const second = await client.start("comes next", { chat_id: first.chat_id });
    await untilAsked("is stopped");
    gateOf("comes next").resolve();
    await client.cancel(first.task_id);
    expect((await client.end(first.task_id)).at(-1)?.body.status).toBe("cancelled");
    expect((await client.end(second.task_id)).at(-1)?.body.status).toBe("completed");
  });
});

describe("different chats", () => {
  it("run side by side", async () => {
    const [left, right] = [await client.start("left"), await client.start("right")];
    await Promise.all([untilAsked("left"), untilAsked("right")]);
    gateOf("right").resolve();
    expect((await client.end(right.task_id)).at(-1)?.body.response).toBe("re: right");
    expect(await statusOf(left.task_id)).toBe("running");
    gateOf("left").resolve();
    await client.end(left.task_id);
  });

  it("know nothing of each other", async () => {
    for (const question of ["here", "there"]) gateOf(question).resolve();
    await client.end((await client.start("here")).task_id);
    await client.end((await client.start("there")).task_id);
    expect(asked.at(-1)?.conversation).toEqual(["user: there"]);
  });
});

describe("a chat", () => {
  it("of another person, or of another project, is not found", async () => {
    gateOf("mine").resolve();
    const { chat_id: chatId } = await client.start("mine");
    const stranger = await newTaskClient(service);
    expect(await stranger.invoke("yours", { chat_id: chatId })).toMatchObject({
      status: 404,
      body: { detail: "Chat not found" },
    });
    const other = await newTaskClient(service, { account: client.account });
    expect((await other.invoke("elsewhere", { chat_id: chatId })).status).toBe(404);
    expect(questions()).not.toContain("yours");
  });
});
