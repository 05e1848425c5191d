import { assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { costOf, knownModels, knownPriceOf, priceOf } from "#src/domain/metering/usage/index.ts";

const cost = (input: number, output: number, inputTokens: number, outputTokens: number) =>
  costOf({ input, output }, { inputTokens, outputTokens });

describe("a call costs", () => {
  it.each([
    ["nothing without tokens", cost(1, 3, 0, 0), 0, 0],
    ["a cent at least on each side that has any", cost(1, 3, 1, 1), 1, 1],
    ["the next cent where it does not", cost(1, 3, 10_001, 10_001), 2, 4],
    ["what decimals say, not what floats make of them", cost(0.1, 0.3, 1_000_000, 1_000_000), 10, 30],
    ["the exact sum for the dearest of long calls", cost(150, 600, 10_000_000, 9_999_999), 150_000, 600_000],
  ])("%s", (_, { input, output }, expectedInput, expectedOutput) => {
    expect([input, output]).toEqual([expectedInput, expectedOutput]);
  });

  it.each([
    ["as other input without a price of the cache", { input: 3, output: 15 }, 300],
    ["what the provider charges", { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, 92],
    ["nothing for what is read for nothing", { input: 3, output: 15, cacheRead: 0 }, 60],
  ])("%s for what the cache has read and written", (_, price, cents) => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 0,
      cachedInputTokens: 800_000,
      cacheWriteTokens: 100_000,
    };
    expect(costOf(price, usage).input).toBe(cents);
  });

  it("the exact price, rounded up, for any price in whole cents and any tokens", () => {
    assert(
      property(nat(100_000), nat(10_000_000), (cents, inputTokens) => {
        const exact = BigInt(cents) * BigInt(inputTokens);
        const million = 1_000_000n;
        const expected = Number((exact + million - 1n) / million);
        expect(costOf({ input: cents / 100, output: 0 }, { inputTokens, outputTokens: 0 }).input).toBe(
          expected,
        );
      }),
    );
  });
});

describe("the price of a model", () => {
  it.each([
    ["builtin/gpt-4o", { input: 2.5, output: 10, cacheRead: 1.25 }],
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
