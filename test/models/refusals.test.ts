import { describe, expect, it } from "vitest";
import { modelAnswering, said, type Wire } from "./answering.ts";

const both: Wire[] = ["openai", "anthropic"];
const openAi: Wire[] = ["openai"];
const PAGE = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>`;
const VLLM = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";
const GEMINI = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
const MISTRAL =
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length";
const CLAUDE = "prompt is too long: 210000 tokens > 200000 maximum";
const LLAMA = "the request exceeds the available context size, try increasing it";

/** Refusals as servers send them: the status, the body, and what the person reads. */
const REFUSALS: [wires: Wire[], status: number, body: unknown, code: string, sentence: string][] = [
  [
    both,
    400,
    { object: "error", message: VLLM, type: "BadRequestError", code: 400 },
    "context_too_long",
    VLLM,
  ],
  [both, 400, { error: { message: VLLM, type: "BadRequestError", code: 400 } }, "context_too_long", VLLM],
  [
    both,
    400,
    [{ error: { code: 400, message: GEMINI, status: "INVALID_ARGUMENT" } }],
    "context_too_long",
    GEMINI,
  ],
  [
    both,
    400,
    { object: "error", message: MISTRAL, type: "invalid_request_prompt", code: "3051" },
    "context_too_long",
    MISTRAL,
  ],
  [
    both,
    400,
    { type: "error", error: { type: "invalid_request_error", message: CLAUDE } },
    "context_too_long",
    CLAUDE,
  ],
  [
    both,
    400,
    { error: { code: 400, message: LLAMA, type: "exceed_context_size_error" } },
    "context_too_long",
    LLAMA,
  ],
  [both, 400, { error: { type: "exceed_context_size_error" } }, "context_too_long", "answered 400"],
  [
    both,
    413,
    PAGE.replace("502 Bad Gateway", "413 Request Entity Too Large"),
    "context_too_long",
    "413 Request Entity Too Large",
  ],
  [
    both,
    500,
    { error: "input length exceeds the context length" },
    "context_too_long",
    "input length exceeds",
  ],
  [
    openAi,
    429,
    {
      error: {
        message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    "context_too_long",
    "Limit 30000",
  ],
  [
    openAi,
    429,
    {
      error: {
        message: "Rate limit reached for gpt-4o on tokens per min (TPM).",
        code: "rate_limit_exceeded",
      },
    },
    "rate_limited",
    "Rate limit reached",
  ],
  [
    both,
    400,
    { error: { message: "Input is too long for requested model." } },
    "context_too_long",
    "Input is too long",
  ],
  [
    both,
    422,
    { detail: [{ loc: ["body", "model"], msg: "field required", type: "value_error" }] },
    "invalid_request",
    "field required",
  ],
  [both, 404, { detail: "Not Found" }, "invalid_request", "Not Found"],
  [
    both,
    400,
    { timestamp: 1, error: "Bad Request", message: "model is unknown" },
    "invalid_request",
    "model is unknown",
  ],
  [
    both,
    400,
    { error: 'model "x" not found, try pulling it first' },
    "invalid_request",
    "try pulling it first",
  ],
  [
    both,
    400,
    { message: { detail: [{ msg: "Value error, no tools" }] } },
    "invalid_request",
    "Value error, no tools",
  ],
  [
    openAi,
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: `{"error":{"message":"${LLAMA}"}}` },
      },
    },
    "context_too_long",
    `Provider returned error: ${LLAMA}`,
  ],
  [both, 400, "no such model\n", "invalid_request", "400: no such model"],
  [both, 502, PAGE, "overloaded", "502 Bad Gateway"],
  [both, 400, "", "invalid_request", "answered 400"],
  [both, 400, '{"error":', "invalid_request", '{"error":'],
  [both, 403, { error: { message: "context length is a paid feature" } }, "forbidden", "paid feature"],
];
const rows = REFUSALS.flatMap(([wires, ...row]) => wires.map((wire) => [wire, ...row] as const));

describe("a refusal", () => {
  it.each(rows)(
    "reaches the person in the server's words: %s %s %j",
    async (wire, status, body, code, sentence) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const asked = said(modelAnswering(wire, () => new Response(text, { status })));
      await expect(asked).rejects.toMatchObject({ code, message: expect.stringContaining(sentence) });
    },
  );

  it.each(both)("of a context that grew too long is recognised inside a stream: %s", async (wire) => {
    const frame = `event: message\ndata: ${JSON.stringify({ object: "error", message: VLLM })}\n\n`;
    const answer = () => new Response(frame, { headers: { "content-type": "text/event-stream" } });
    await expect(said(modelAnswering(wire, answer))).rejects.toMatchObject({ code: "context_too_long" });
  });

  it.each([
    ["the whole key", "sk-own-key-of-a-test-0123"],
    ["all but its last characters", "sk-own-key-of-a-test-…"],
    ["all but its first characters", "…own-key-of-a-test-0123"],
    ["its base64", Buffer.from("sk-own-key-of-a-test-0123").toString("base64")],
    ["the base64 of a header", Buffer.from("user:sk-own-key-of-a-test-0123").toString("base64")],
    ["its base64 for addresses", Buffer.from("x:sk-own-key-of-a-test-0123").toString("base64url")],
  ])("shows nothing of %s", async (_, quoted) => {
    const body = JSON.stringify({ error: { message: `The header 'Bearer ${quoted}' is odd` } });
    const error = await said(modelAnswering("openai", () => new Response(body, { status: 400 }))).catch(
      String,
    );
    expect(error).toContain("The header 'Bearer");
    expect(error).toContain("***");
    expect(error).not.toMatch(/own-key|of-a-test|b3duLWtleS|tb3duLWtle|93bi1rZX/u);
  });
});
