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

const TPM = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.";
const RATE = "Rate limit reached for gpt-4o on tokens per min (TPM).";
const PAGE_413 = PAGE.replace("502 Bad Gateway", "413 Request Entity Too Large");
const raw = JSON.stringify({ error: { message: LLAMA } });
const wrapped = { message: "Provider returned error", code: 400, metadata: { raw } };
const bare = (message: string) => ({ object: "error", message, code: 400 });
const refusal = (message: string, more: object = {}) => ({ error: { message, ...more } });

/** Refusals as servers send them: the status, the body, and what the person reads. */
const TOO_LONG: [wires: Wire[], status: number, body: unknown, sentence: string][] = [
  [both, 400, bare(VLLM), VLLM],
  [both, 400, [refusal(GEMINI, { status: "INVALID_ARGUMENT" })], GEMINI],
  [both, 400, bare(MISTRAL), MISTRAL],
  [both, 400, refusal(CLAUDE, { type: "invalid_request_error" }), CLAUDE],
  [both, 400, refusal(LLAMA, { type: "exceed_context_size_error" }), LLAMA],
  [both, 400, { error: { type: "exceed_context_size_error" } }, "answered 400"],
  [both, 413, PAGE_413, "413 Request Entity Too Large"],
  [both, 500, { error: "input length exceeds the context length" }, "input length exceeds"],
  [both, 400, refusal("Input is too long for requested model."), "Input is too long"],
  [openAi, 429, refusal(TPM, { type: "tokens", code: "rate_limit_exceeded" }), "Limit 30000"],
  [openAi, 400, { error: wrapped }, `Provider returned error: ${LLAMA}`],
];
const INVALID: [wires: Wire[], status: number, body: unknown, sentence: string][] = [
  [both, 422, { detail: [{ loc: ["body", "model"], msg: "field required" }] }, "field required"],
  [both, 404, { detail: "Not Found" }, "Not Found"],
  [both, 400, { timestamp: 1, error: "Bad Request", message: "model is unknown" }, "model is unknown"],
  [both, 400, { error: 'model "x" not found, try pulling it first' }, "try pulling it first"],
  [both, 400, { message: { detail: [{ msg: "Value error, no tools" }] } }, "Value error, no tools"],
  [both, 400, "no such model\n", "400: no such model"],
  [both, 400, "", "answered 400"],
  [both, 400, '{"error":', '{"error":'],
];
const OTHERS: [wires: Wire[], status: number, body: unknown, sentence: string, code: string][] = [
  [openAi, 429, refusal(RATE, { code: "rate_limit_exceeded" }), "Rate limit reached", "rate_limited"],
  [both, 502, PAGE, "502 Bad Gateway", "overloaded"],
  [both, 403, refusal("context length is a paid feature"), "paid feature", "forbidden"],
];
const REFUSALS = [
  ...TOO_LONG.map((row) => [...row, "context_too_long"] as const),
  ...INVALID.map((row) => [...row, "invalid_request"] as const),
  ...OTHERS,
];
const rows = REFUSALS.flatMap(([wires, ...row]) => wires.map((wire) => [wire, ...row] as const));

describe("a refusal", () => {
  it.each(rows)(
    "reaches the person in the server's words: %s %s %j",
    async (wire, status, body, sentence, code) => {
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
    expect(error).toContain("own answered 400: The header 'Bearer");
    expect(error).toContain("***");
    expect(error).not.toMatch(/own-key|of-a-test|b3duLWtleS|tb3duLWtle|93bi1rZX/u);
  });
});
