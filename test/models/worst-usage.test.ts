import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ModelRequest } from "#src/models/model.ts";
import { worstUsage } from "#src/models/worst-usage.ts";
import { runs } from "#test/support/soak.ts";
import { anyText } from "#test/support/any-text.ts";

const openAi = { name: "gpt-5", provider: "openai" };
const empty: ModelRequest = { system: "", messages: [], tools: [] };
const tokensOf = (request: Partial<ModelRequest>, model = openAi, ownTools = false) =>
  worstUsage(model, { ...empty, ...request }, { ownTools }).inputTokens;

it("counts a token for every byte of whatever is sent", () => {
  fc.assert(
    fc.property(anyText(), anyText(), (one, other) => {
      const bytes = Buffer.byteLength(one + other);
      const said = [
        { system: one, messages: [{ role: "system" as const, content: other }] },
        { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: one + other }] }] },
        { messages: [{ role: "tool" as const, callId: "c", name: one, content: other, isError: false }] },
        {
          messages: [
            {
              role: "assistant" as const,
              content: one,
              toolCalls: [{ id: "c", name: "n", arguments: other }],
            },
          ],
        },
        { tools: [{ name: "n", description: one, parameters: { base64: other } }] },
        { options: { format: { type: "json_schema" as const, name: one, schema: { base64: other } } } },
      ];
      for (const request of said) expect(tokensOf(request)).toBeGreaterThanOrEqual(bytes);
    }),
    { numRuns: runs(25) },
  );
});

it("counts the service's own tools by half", () => {
  const tools = [{ name: "n", description: "x".repeat(10_000), parameters: {} }];
  const difference = tokensOf({ tools }) - tokensOf({ tools }, openAi, true);
  expect(difference).toBeGreaterThan(5000);
  expect(difference).toBeLessThan(5100);
});

it("counts pictures, not their bytes", () => {
  const image = { type: "image", mimeType: "image/png", base64: "A".repeat(1_000_000) } as const;
  const link = { type: "image_url", url: "https://example.com/a.png" } as const;
  const messages: ModelRequest["messages"] = [
    { role: "user", content: [image, link] },
    { role: "tool", callId: "c", name: "view_image", content: "", isError: false, image },
  ];
  expect(tokensOf({ messages })).toBeGreaterThan(30_000);
  expect(tokensOf({ messages })).toBeLessThan(35_000);
  expect(tokensOf({ messages }, { ...openAi, name: "gpt-4o-mini" })).toBeGreaterThan(150_000);
});

it.each([
  ["gpt-5", "openai", {}, 128_000],
  ["gpt-5", "openai", { maxOutputTokens: 10 }, 10],
  ["gpt-4o", "openai", {}, 16_384],
  ["some-model", "openai", {}, 128_000],
  ["claude-sonnet-4-5", "anthropic", {}, 16_000],
  ["claude-sonnet-4-5", "anthropic", { effort: "xhigh" }, 48_000],
  ["claude-sonnet-4-5", "anthropic", { maxOutputTokens: 10 }, 10],
] as const)("knows what %s writes at most, of %s and with %j", (name, provider, more, expected) => {
  const { outputTokens } = worstUsage({ name, provider }, { ...empty, ...more }, { ownTools: true });
  expect(outputTokens).toBe(expected);
});
