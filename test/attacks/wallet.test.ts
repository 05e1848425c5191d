import { text } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { creditReservations, teams } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { PROVIDER_KEY } from "#test/support/model-servers.ts";
import { newProxyClient } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";

/** The maximum output of GPT-5, in tokens. */
const MODEL_TOKENS = 128_000;

/** Bodies of the calls that reached the provider. */
let asked: Record<string, unknown>[];
/** Called when a call reached the provider or was refused. */
let advance = () => {};
/** All of the calls are under way at the same time: the provider answers none before the others are refused. */
let mayAnswer: Promise<void>;
let provider: Awaited<ReturnType<typeof serve>>;
let service: TestService;
beforeAll(async () => {
  provider = await serve(async (request, response) => {
    const sent = await text(request);
    const body: Record<string, unknown> = JSON.parse(sent);
    asked.push(body);
    advance();
    await mayAnswer;
    const usage = {
      prompt_tokens: Buffer.byteLength(sent),
      completion_tokens: Number(body["max_completion_tokens"] ?? MODEL_TOKENS),
    };
    const chunks = [
      { choices: [{ index: 0, delta: { role: "assistant", content: "As long as I may." } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "length" }] },
      { choices: [], usage },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""),
    );
  });
  service = await startService({
    OPENAI_API_KEY: PROVIDER_KEY,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    DEFAULT_MODEL: "gpt-5",
    KEY_RATE_BURST: "0",
  });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

/** Send so many calls at once on so many cents, and return their outcomes. */
async function callsAtOnce(count: number, credits: number, wish: object = {}) {
  asked = [];
  const all = Promise.withResolvers<void>();
  mayAnswer = all.promise;
  let undecided = count;
  advance = () => {
    undecided -= 1;
    if (undecided === 0) all.resolve();
  };
  const { key, calls, balance, teamId } = await newProxyClient(service, { credits });
  const json = {
    model: "gpt-5",
    messages: [{ role: "user", content: "Write a book." }],
    stream: false,
    ...wish,
  };
  const answers = await Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await service.call("POST", "/api/v1/chat/completions", { token: key, json });
      if (answer.status !== 200) advance();
      return answer;
    }),
  );
  const rows = await calls();
  const db = databaseOf(service);
  const [team] = await db.select().from(teams).where(eq(teams.id, teamId));
  return {
    answers,
    spent: rows.reduce((sum, { costTotal }) => sum + costTotal, 0),
    taken: rows.reduce((sum, { creditsDeducted }) => sum + creditsDeducted, 0),
    left: await balance(),
    reserved: team?.reservedCredits,
    held: await db.select().from(creditReservations).where(eq(creditReservations.teamId, teamId)),
  };
}

const REFUSAL = { status: 402, body: { error: { message: "The team has no credits left" } } };

it("thirty calls at once with five cents spend five cents at most", async () => {
  const { answers, spent, taken, left, reserved, held } = await callsAtOnce(30, 5);
  expect(spent).toBeLessThanOrEqual(5);
  expect([taken, left, reserved, held]).toEqual([spent, 5 - spent, 0, []]);
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(0);
  expect(asked).toHaveLength(served.length);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toMatchObject(refused.map(() => REFUSAL));
  // What is told to the provider is what there was money for: four cents of output at 10 dollars a million.
  expect(asked[0]).toMatchObject({ max_completion_tokens: 4000 });
});

it.each([
  [1, { max_tokens: 10 }],
  [20, { max_tokens: 10 }],
  [20, { max_completion_tokens: 1_000_000, stream: true }],
])("thirty calls at once with %i cents spend no more, however they ask: %j", async (credits, wish) => {
  const { spent, taken, left, reserved, held } = await callsAtOnce(30, credits, wish);
  expect(spent).toBeLessThanOrEqual(credits);
  expect([taken, left, reserved, held]).toEqual([spent, credits - spent, 0, []]);
  // A cent pays for no call: each side of one costs a cent at least.
  expect(spent > 0).toBe(credits > 1);
});

it("a long request is refused before it is sent where its input alone is too dear", async () => {
  const messages = [{ role: "user", content: "x".repeat(100_000) }];
  const { answers, spent } = await callsAtOnce(1, 5, { messages });
  expect(answers).toMatchObject([REFUSAL]);
  expect([asked, spent]).toEqual([[], 0]);
});
