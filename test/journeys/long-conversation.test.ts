import type { api } from "@agent-workspace/client";
import { and, eq } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { usageLogs } from "#src/db/schema/index.ts";
import { contextWindow } from "#src/models/model-facts.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { ownKeysOf, PROVIDERS } from "#test/support/own-keys.ts";
import { startRememberingModel, textOf, unpaired, type Said } from "#test/support/remembering-model.ts";
import { otherSharedService } from "#test/support/shared-service.ts";

/** The smallest window of a model that is known. */
const MODEL = "gpt-4";
const WINDOW = contextWindow(MODEL);
const TURNS = 40;
const FACT = "fact: my favourite colour is ultramarine";

const model = await startRememberingModel(script);
afterAll(() => model.close());

function script(question: string, results: number): Said {
  const [, number = ""] = /^message (\d+)/u.exec(question) ?? [];
  // Every tenth needs a tool, with more to say than the window takes.
  if (Number(number) % 10 === 0 && results === 0) return { content: "I look.", command: "seq 1 20000" };
  return { content: `answer ${number}. ${"So it is. ".repeat(20)}` };
}

it("a conversation of eighty messages stays within the window, forgets no fact and shows all of it to people", async () => {
  const service = await otherSharedService("eager");
  const { newPro, store } = ownKeysOf(service);
  const account = await newPro();
  const client = await newChatClient(service, { account });
  const provider = { name: "Own", slug: "own", base_url: `${model.url}/v1`, available_models: [MODEL] };
  await client.call("POST", PROVIDERS, provider);
  await store(account.token, { provider: "own" });
  // With one tool: the definitions of all would fill half the window.
  const wish = { name: "Talker", tools: ["bash_exec"], system_prompt: "You talk." };
  const { body: agent } = await client.call<{ id: string }>("POST", "/api/agents", wish);
  const fields = { agent_id: agent.id, edit_mode: "allow", model: `custom/own/${MODEL}` };

  const first = await client.send(`message 1: ${FACT}`, fields);
  const { chatId } = first;
  await Array.fromAsync(first.frames());
  for (let number = 2; number <= TURNS; number += 1) {
    const message = `message ${number}: and what of ${"this ".repeat(20)}?`;
    const frames = await client.ask(message, { ...fields, chat_id: chatId });
    expect(frames.at(-1)).toMatchObject({ data: { status: "completed" } });
  }

  for (const { estimate, counted, messages } of model.heard) {
    expect(estimate).toBeLessThanOrEqual(WINDOW);
    expect(counted).toBeLessThanOrEqual(WINDOW);
    expect(unpaired(messages)).toEqual([]);
  }
  const heardAs = (kind: "agent" | "summary") => model.heard.filter((each) => each.kind === kind);
  const last = heardAs("agent").at(-1)?.messages ?? [];
  expect(textOf(last.at(-3)), "its own question").toMatch(new RegExp(`^message ${TURNS}:`, "u"));
  const shown = last.filter((message) => textOf(message).includes(FACT));
  expect(shown).toHaveLength(1);
  expect(textOf(shown[0])).toContain("<summary>");

  const { body } = await client.call<api.ChatMessage[]>("GET", `/api/chat/session/${chatId}/messages`);
  expect(body.map(({ role, content }) => `${role}: ${/^\w+ \d+/u.exec(content)?.[0]}`)).toEqual(
    Array.from({ length: TURNS }, (_, at) => [
      `user: message ${at + 1}`,
      `assistant: answer ${at + 1}`,
    ]).flat(),
  );

  const summaries = heardAs("summary").length;
  expect(summaries).toBeGreaterThan(1);
  expect(summaries).toBeLessThanOrEqual(TURNS / 5);
  const callsFor = (purpose: "agent" | "compaction") =>
    databaseOf(service)
      .select()
      .from(usageLogs)
      .where(and(eq(usageLogs.userId, account.id), eq(usageLogs.purpose, purpose)));
  expect(await callsFor("compaction")).toHaveLength(summaries);
  expect(await callsFor("agent")).toHaveLength(heardAs("agent").length);
});
