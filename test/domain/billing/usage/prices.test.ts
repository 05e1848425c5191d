import { describe, expect, it } from "vitest";
import { knownModels, knownPriceOf, priceOf } from "#src/domain/billing/usage/index.ts";

describe("the price of a model", () => {
  it.each([
    ["builtin/gpt-4o", { input: 2.5, output: 10, cacheRead: 1.25 }],
    ["builtin/gpt-4o-mini", { input: 0.15, output: 0.6, cacheRead: 0.075 }],
    ["gpt-4o-2024-08-06", { input: 2.5, output: 10, cacheRead: 1.25 }],
    ["claude-sonnet-4-5-20250929", { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
    [
      "openrouter/anthropic/claude-sonnet-4.5:beta",
      { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    ],
    ["builtin/demo", { input: 0, output: 0 }],
    ["vendor/demo", { input: 1, output: 3 }],
  ])("is that of exactly this model: %s", (id, price) => {
    expect(priceOf(id)).toEqual(price);
  });

  it.each(["gpt-4o-micro", "builtin/my-gpt-4o", "x"])("is a default for one that is not known: %s", (id) => {
    expect(knownPriceOf(id)).toBeNull();
    expect(priceOf(id)).toEqual({ input: 1, output: 3 });
  });

  it("is listed by provider", () => {
    expect(knownModels("google")).toContainEqual({
      name: "gemini-2.5-pro",
      price: { input: 1.25, output: 10, cacheRead: 0.125 },
    });
    expect(knownModels("groq")).toEqual([]);
  });
});
