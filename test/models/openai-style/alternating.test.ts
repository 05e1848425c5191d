import { expect, it } from "vitest";
import type { ModelMessage } from "#src/models/model.ts";
import { createOpenAiStyleModel } from "#src/models/openai-style/index.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });

/** The roles of each request to a server that refuses the first with these words. */
async function rolesAfter(words: string): Promise<string[][]> {
  const asked: string[][] = [];
  const model = createOpenAiStyleModel({
    provider: "custom/own",
    model: "m",
    baseURL: "https://models.test/v1",
    apiKey: "the-key",
    fetch: async (url, init) => {
      const { messages } = await new Request(url, init).json<{ messages: { role: string }[] }>();
      asked.push(messages.map(({ role }) => role));
      if (asked.length === 1) return Response.json({ error: { message: words, code: 400 } }, { status: 400 });
      return Response.json({ choices: [{ message: { role: "assistant", content: "Hi!" } }] });
    },
  });
  const request = { system: "", tools: [], messages: [user("one"), user("two")] };
  await Array.fromAsync(model.stream(request, new AbortController().signal)).catch(() => {});
  return asked;
}

it.each([
  // vLLM with the templates of Llama 2 and Mistral, and with Gemma's.
  "Conversation roles must alternate user/assistant/user/assistant/...",
  "After the optional system message, conversation roles must alternate user and assistant roles",
])("a server that says %j is asked once more, with a conversation that alternates", async (words) => {
  expect(await rolesAfter(words)).toEqual([["user", "user"], ["user"]]);
});

it("a server that refuses for another reason is not asked again", async () => {
  expect(await rolesAfter("The request is too long")).toEqual([["user", "user"]]);
});
