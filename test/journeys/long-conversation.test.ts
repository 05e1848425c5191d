import { and, asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usageLogs } from "#src/db/schema/index.ts";
import { contextWindow } from "#src/models/model-facts.ts";
import { newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startRememberingModel, textOf, unpaired, type Said } from "#test/support/remembering-model.ts";
import { startService, type TestService } from "#test/support/service.ts";

/** The smallest window of a model that is known. */
const MODEL = "gpt-4";
const WINDOW = contextWindow(MODEL);
/** One whose window leaves room for two turns beside an account. */
const ROOMIER_MODEL = "gpt-3.5-turbo";
const TURNS = 200;
const FACT = "fact: my favourite colour is ultramarine";

let model: Awaited<ReturnType<typeof startRememberingModel>>;
let service: TestService;
beforeAll(async () => {
  model = await startRememberingModel(script);
  service = await startService({
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${model.url}/v1`,
    DEFAULT_MODEL: MODEL,
    PLATFORM_MODELS: ROOMIER_MODEL,
    CHAT_RATE_PER_MINUTE: "0",
    USER_RATE_PER_MINUTE: "0",
  });
});
afterAll(async () => {
  await service.close();
  await model.close();
});

function script(question: string, results: number): Said {
  if (question.startsWith("two accounts")) return twoAccounts(results);
  const [, number = ""] = /^message (\d+)/u.exec(question) ?? [];
  // Every tenth needs a tool, with more to say than the window takes.
  if (Number(number) % 10 === 0 && results === 0) return { content: "I look.", command: "seq 1 20000" };
  return { content: `answer ${number}. ${"So it is. ".repeat(20)}` };
}

/** Long turns, until their first account was written; then the conversation is refused, once. */
function twoAccounts(results: number): Said {
  const accounts = model.heard.filter(({ kind }) => kind === "summary").length;
  if (accounts === 1) return undefined;
  if (accounts > 1) return { content: "Done." };
  return { content: `part ${results} ${"w".repeat(4_800)}`, command: "echo on" };
}

/** An agent with one tool: the definitions of all would fill half the window. */
async function newTalker(): Promise<{ client: ChatClient; fields: { agent_id: string; edit_mode: string } }> {
  const client = await newChatClient(service);
  const wish = { name: "Talker", tools: ["bash_exec"], system_prompt: "You talk." };
  const { body } = await client.call<{ id: string }>("POST", "/api/agents", wish);
  return { client, fields: { agent_id: body.id, edit_mode: "allow" } };
}

const callsOf = ({ account }: ChatClient, purpose: "agent" | "compaction") =>
  databaseOf(service)
    .select()
    .from(usageLogs)
    .where(and(eq(usageLogs.userId, account.id), eq(usageLogs.purpose, purpose)))
    .orderBy(asc(usageLogs.iteration));

const heardAs = (kind: "agent" | "summary") => model.heard.filter((each) => each.kind === kind);

describe("a turn that needs two accounts", () => {
  it("pays for both", async () => {
    const { client, fields } = await newTalker();
    const frames = await client.ask("two accounts, please", { ...fields, model: ROOMIER_MODEL });
    expect(frames.at(-1)).toMatchObject({ data: { status: "completed" } });
    expect(heardAs("summary")).toHaveLength(2);
    const calls = await callsOf(client, "compaction");
    expect(calls.map(({ iteration }) => iteration)).toEqual([1, 2]);
    for (const call of calls) expect(call).toMatchObject({ costTotal: 2, creditsDeducted: 2 });
  });
});

describe("a conversation of two hundred messages", () => {
  it("stays within the window, forgets no fact and shows all of it to people", async () => {
    model.heard.length = 0;
    const { client, fields } = await newTalker();
    const first = await client.send(`message 1: ${FACT}`, fields);
    const { chatId } = first;
    await Array.fromAsync(first.frames());
    for (let number = 2; number <= TURNS; number += 1) {
      const frames = await client.ask(`message ${number}: and what of ${"this ".repeat(20)}?`, {
        ...fields,
        chat_id: chatId,
      });
      expect(frames.at(-1)).toMatchObject({ data: { status: "completed" } });
    }

    for (const { estimate, counted, messages } of model.heard) {
      expect(estimate).toBeLessThanOrEqual(WINDOW);
      expect(counted).toBeLessThanOrEqual(WINDOW);
      expect(unpaired(messages)).toEqual([]);
    }
    const last = heardAs("agent").at(-1)?.messages ?? [];
    expect(textOf(last.at(-3)), "its own question").toMatch(/^message 200/u);
    const shown = last.filter((message) => textOf(message).includes(FACT));
    expect(shown).toHaveLength(1);
    expect(textOf(shown[0])).toContain("<summary>");

    const { body } = await client.call<{ role: string; content: string }[]>(
      "GET",
      `/api/chat/session/${chatId}/messages`,
    );
    expect(body.map(({ role, content }) => `${role}: ${/^\w+ \d+/u.exec(content)?.[0]}`)).toEqual(
      Array.from({ length: TURNS }, (_, at) => [
        `user: message ${at + 1}`,
        `assistant: answer ${at + 1}`,
      ]).flat(),
    );

    const summaries = heardAs("summary").length;
    expect(summaries).toBeGreaterThan(3);
    expect(summaries).toBeLessThanOrEqual(TURNS / 5);
    expect(await callsOf(client, "compaction")).toHaveLength(summaries);
    expect(await callsOf(client, "agent")).toHaveLength(heardAs("agent").length);
  });
});
