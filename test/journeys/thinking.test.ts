import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { taskTurns } from "#src/db/schema/index.ts";
import { newChatClient, type ChatFrame } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { PROVIDER_KEY } from "#test/support/model-servers.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startThinkingModel, type AnswerBlock } from "#test/support/thinking-model.ts";

const SECRET = "Zq7-winter-Lamp-93kd-harbour";

const first: AnswerBlock[] = [
  { type: "thinking", thinking: "The settings may say it.", signature: "c2lnbmF0dXJlIG9uZQ==" },
  { type: "redacted_thinking", data: "c2VhbGVk" },
  { type: "text", text: "I look into the settings." },
  { type: "tool_use", id: "toolu_1", name: "bash_exec", input: { command: "cat .env" } },
];
const second: AnswerBlock[] = [
  { type: "thinking", thinking: `It is ${SECRET}, I see.`, signature: "c2lnbmF0dXJlIHR3bw==" },
  { type: "text", text: "There it is." },
  { type: "thinking", thinking: "Better not to say it.", signature: "c2lnbmF0dXJlIHRocmVl" },
  { type: "tool_use", id: "toolu_2", name: "bash_exec", input: { command: "echo so" } },
];
const last: AnswerBlock[] = [
  { type: "thinking", thinking: "That is enough.", signature: "c2lnbmF0dXJlIGZvdXI=" },
  { type: "text", text: "The password is set." },
];
const calling = (id: string): AnswerBlock[] => [
  { type: "thinking", thinking: `Thinking of ${id}.`, signature: "c2ln" },
  { type: "tool_use", id, name: "bash_exec", input: { command: `echo ${id}` } },
];

let model: Awaited<ReturnType<typeof startThinkingModel>>;
let service: TestService;

beforeAll(async () => {
  model = await startThinkingModel({
    "find the password": [first, second, last],
    "wait for me": [calling("toolu_a"), calling("toolu_b"), last],
  });
  service = await startService({
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: model.origin,
    DEFAULT_MODEL: "claude-sonnet-4-5",
    DEFAULT_THINKING_EFFORT: "low",
  });
});
afterAll(async () => {
  await service?.close();
  await model?.close();
});
beforeEach(() => {
  model.received.length = 0;
});

const stepsIn = (frames: readonly ChatFrame[]) =>
  frames.filter(({ type }) => type === "agent_step").map(({ data }) => data);
/** The assistant's turns of the request of a place. */
const turnsOf = (request: number) =>
  model.received[request]?.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);

it("thinks, gets its thinking back as it came, and shows it beside the answer without secrets", async () => {
  const client = await newChatClient(service);
  const content = `ADMIN_PASSWORD=${SECRET}\nPORT=3000\n`;
  await client.call("PUT", `/api/projects/${client.projectId}/files/.env`, { content });
  const stream = await client.send("Please find the password", { edit_mode: "allow" });
  const frames = await Array.fromAsync(stream.frames());

  expect(model.received).toHaveLength(3);
  for (const body of model.received) {
    expect(body).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 4_000 },
      max_tokens: 20_000,
    });
  }
  expect(turnsOf(1)).toEqual([first]);
  expect(turnsOf(2)).toEqual([first, second]);

  const thoughts = [
    "The settings may say it.",
    "It is «secret:ADMIN_PASSWORD», I see.\n\nBetter not to say it.",
    "That is enough.",
  ];
  expect(stepsIn(frames).map((step) => step?.["thought"])).toEqual(thoughts);
  expect(frames.find(({ type }) => type === "complete")?.data).toMatchObject({
    success: true,
    final_response: "The password is set.",
  });
  const said = frames.filter(({ type }) => type === "text_delta").map(({ content: text }) => text);
  expect(said.join("")).toBe("I look into the settings.There it is.The password is set.");

  const messages = await client.call<{ message_metadata: unknown }[]>(
    "GET",
    `/api/chat/session/${stream.chatId}/messages`,
  );
  expect(messages.body.at(-1)).toMatchObject({
    content: "The password is set.",
    message_metadata: { steps: thoughts.map((thought) => ({ thought })) },
  });
  const stored = await storedSteps(stream.taskId);
  for (const shown of [frames, messages.body, stored]) {
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(JSON.stringify(shown)).not.toContain("c2lnbmF0dXJl");
  }
  // The thinking that only the next turn needed is deleted.
  expect(stored.map(({ kept }) => kept ?? null)).toEqual([null, null, null]);
});

it("gets its thinking back also after a wait, from an executor that has only what is stored", async () => {
  const client = await newChatClient(service);
  const stream = await client.send("Please wait for me", { edit_mode: "ask" });
  const kept: unknown[] = [];
  for await (const { type, data } of stream.frames()) {
    if (type !== "approval_required") continue;
    kept.push(...(await storedSteps(stream.taskId)).map((step) => step["kept"]));
    const path = "/api/chat/agent/approval";
    await client.call("POST", path, { approval_id: data?.["approval_id"], response: "allow_once" });
  }
  // At the second question the first turn is stored, encrypted.
  expect(kept).toEqual([expect.stringMatching(/^gAAAA/u)]);
  expect(turnsOf(2)).toEqual([calling("toolu_a"), calling("toolu_b")]);
});

async function storedSteps(taskId: string) {
  const rows = await databaseOf(service)
    .select({ step: taskTurns.turnData })
    .from(taskTurns)
    .where(eq(taskTurns.taskId, taskId))
    .orderBy(taskTurns.turnIndex);
  return rows.map(({ step }) => step);
}
