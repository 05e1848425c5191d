import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { failureOf, newProxyClient } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";

const PICTURE = "data:image/png;base64,iVBORw0KGgoAAAAN";

const weather = {
  type: "function" as const,
  function: { name: "weather", description: "How the weather is", parameters: { type: "object" } },
};

/** What was answered, or how it failed. */
const outcomeOf = (asking: Promise<unknown>): Promise<unknown> => asking.catch((error: unknown) => error);

describe.each(MODEL_WIRES)("what the official client sends on $name", (wire) => {
  let model: Awaited<ReturnType<typeof startModelServer>>;
  let service: TestService;
  beforeAll(async () => {
    model = await startModelServer(wire);
    model.mock.onMessage("hello", { content: "Hello to you, too." });
    service = await startService({
      ...wire.variables(model.origin),
      DEFAULT_MODEL: wire.model,
      MODEL_MAX_RETRIES: "0",
      KEY_RATE_BURST: "0",
    });
  });
  afterAll(async () => {
    await service.close();
    await model.close();
  });

  const newClient = () => newProxyClient(service);
  const hello = { model: wire.model, messages: [{ role: "user" as const, content: "hello" }] };
  const isOpenAi = wire.model === "gpt-5";
  const lastBody = () => model.received.at(-1)?.body ?? {};

  it("has later instructions, names and closer looks passed on where they stand", async () => {
    const { client } = await newClient();
    await client.chat.completions.create({
      model: wire.model,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "first", name: "ann" },
        { role: "system", content: "Be kind." },
        { role: "user", content: [{ type: "image_url", image_url: { url: PICTURE, detail: "low" } }] },
        { role: "user", content: "hello" },
      ],
    });
    const picture = { type: "image_url", image_url: { url: PICTURE, detail: "low" } };
    expect(lastBody()).toMatchObject(
      isOpenAi
        ? {
            messages: [
              { role: "system", content: "Be brief." },
              { role: "user", content: "first", name: "ann" },
              { role: "system", content: "Be kind." },
              { role: "user", content: [picture] },
              { role: "user", content: "hello" },
            ],
          }
        : {
            system: [{ text: "Be brief.\n\nBe kind." }],
            messages: [{ role: "user", content: [{ text: "first" }, { type: "image" }, { text: "hello" }] }],
          },
    );
  });

  it.each([
    { logit_bias: { "50256": -100 } },
    { verbosity: "low" as const },
    { reasoning_effort: "low" as const },
  ])("has passed on what one protocol knows, and is told where the other does not: %o", async (field) => {
    const { client } = await newClient();
    const before = model.received.length;
    const outcome = await outcomeOf(client.chat.completions.create({ ...hello, ...field }));
    const [name] = Object.keys(field);
    const refused = { status: 400, message: expect.stringContaining(`${name}: Anthropic's protocol`) };
    expect(outcome).toMatchObject(isOpenAi ? { object: "chat.completion" } : refused);
    expect(model.received.slice(before)).toMatchObject(isOpenAi ? [{ body: field }] : []);
  });

  it("is told where one protocol needs more than instructions", async () => {
    const { client } = await newClient();
    const messages = [{ role: "system" as const, content: "Say hello." }];
    const before = model.received.length;
    const outcome = await outcomeOf(client.chat.completions.create({ ...hello, messages }));
    const refused = { status: 400, message: expect.stringMatching(/messages: Anthropic's protocol needs/u) };
    // The other protocol leaves it to the provider, whose script knows no answer here.
    expect(outcome).toMatchObject(isOpenAi ? {} : refused);
    expect(model.received.length - before).toBe(isOpenAi ? 1 : 0);
  });

  it("is told of what is not served, unless it asks for nothing", async () => {
    const { client } = await newClient();
    const functions = [weather.function];
    const asked = [
      { functions },
      { function_call: { name: "weather" } },
      { logprobs: true },
      { top_logprobs: 3 },
      { modalities: ["text" as const, "audio" as const] },
      { web_search_options: {} },
    ];
    for (const field of asked) {
      const error = await failureOf(client.chat.completions.create({ ...hello, ...field }));
      const sentence = new RegExp(`${Object.keys(field)[0]}: is not supported here`, "u");
      expect(error).toMatchObject({ status: 400, message: expect.stringMatching(sentence) });
    }
    const nothing = { functions: [], logprobs: false, modalities: ["text" as const], logit_bias: {} };
    const answer = await client.chat.completions.create({ ...hello, ...nothing, frequency_penalty: 0 });
    expect(answer.choices[0]?.message.content).toBe("Hello to you, too.");
  });
});
