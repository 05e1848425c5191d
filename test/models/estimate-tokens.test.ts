import { expect, it } from "vitest";
import { estimateMessages, estimateText, estimateTokens, IMAGE_TOKENS } from "#src/models/estimate-tokens.ts";

it("counts four characters of English as a token, and more of a script that takes more bytes", () => {
  expect(estimateText("a".repeat(400))).toBe(100);
  expect(estimateText("語".repeat(400))).toBe(300);
  expect(estimateText("")).toBe(0);
});

it("counts a picture as one sum, whatever its base64 weighs", () => {
  const image = { type: "image" as const, mimeType: "image/png" as const, base64: "A".repeat(4_000_000) };
  const tokens = estimateMessages([
    { role: "user", content: [image, { type: "text", text: "a".repeat(40) }] },
  ]);
  expect(tokens).toBeGreaterThanOrEqual(IMAGE_TOKENS + 10);
  expect(tokens).toBeLessThan(IMAGE_TOKENS + 30);
});

it("counts the system prompt, the tools and the arguments of calls", () => {
  const bare = { system: "", tools: [], messages: [] };
  const parameters = { description: "p".repeat(4_000) };
  const call = { id: "1", name: "run", arguments: "x".repeat(4_000) };
  expect(estimateTokens(bare)).toBe(0);
  expect(estimateTokens({ ...bare, system: "s".repeat(4_000) })).toBe(1_000);
  expect(estimateTokens({ ...bare, tools: [{ name: "run", description: "", parameters }] })).toBeGreaterThan(
    1_000,
  );
  expect(
    estimateTokens({ ...bare, messages: [{ role: "assistant", content: "", toolCalls: [call] }] }),
  ).toBeGreaterThan(1_000);
});
