import { expect, it } from "vitest";
import { COMPACTABLE_MESSAGES, KEPT_MESSAGES, summariseChat } from "#src/agent/chats/summarise-chat.ts";
import type { HistoryMessage } from "#src/agent/context/transcript.ts";
import { estimateTokens } from "#src/models/estimate-tokens.ts";
import { answeringModel, modelError, never, questionOf } from "#test/support/answering-model.ts";

const chat = (count: number, size = 10): HistoryMessage[] =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `message-${at}. ${"x".repeat(size)}`,
  }));

it("summarises all messages but the last two, and takes in the summary before", async () => {
  const { model, requests } = answeringModel(() => " the account \n");
  const said = await summariseChat({ model, messages: chat(6), previous: "of last week", signal: never() });
  expect(said).toMatchObject({ text: "the account", usage: { inputTokens: 10 } });
  const question = questionOf(requests[0]);
  expect(KEPT_MESSAGES).toBe(2);
  for (const at of [0, 1, 2, 3]) expect(question).toContain(`message-${at}.`);
  for (const at of [4, 5]) expect(question).not.toContain(`message-${at}.`);
  expect(question).toContain("of last week");
});

it("stays within the model's window with a chat of any size", async () => {
  const { model, requests } = answeringModel(() => "z".repeat(200_000), "gpt-4");
  const { text } = await summariseChat({ model, messages: chat(500, 9_000), signal: never() });
  // Room for an answer of 2,000 tokens stays.
  expect(requests.map(estimateTokens)).toEqual([expect.toSatisfy((size: number) => size < 6_000)]);
  expect(text.length).toBeLessThan(2_000 * 4 + 100);
});

it("refuses a chat of fewer than six messages, and says so of a model that fails", async () => {
  const { model } = answeringModel(() => modelError("overloaded", true));
  await expect(
    summariseChat({ model, messages: chat(COMPACTABLE_MESSAGES - 1), signal: never() }),
  ).rejects.toMatchObject({
    code: "invalid_input",
  });
  await expect(summariseChat({ model, messages: chat(6), signal: never() })).rejects.toMatchObject({
    code: "overloaded",
  });
});
