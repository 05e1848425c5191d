import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distanceWithin } from "#src/agent/tools/edits/levenshtein.ts";

/** The textbook definition, for short texts. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  if (a.charAt(0) === b.charAt(0)) return distance(a.slice(1), b.slice(1));
  return 1 + Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)));
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });
const plenty = () => ({ steps: 1_000_000 });

describe("edit distance within a limit", () => {
  it("is the edit distance up to the limit, and nothing above it", () => {
    fc.assert(
      fc.property(word, word, fc.nat(8), (a, b, limit) => {
        const expected = distance(a, b);
        expect(distanceWithin(a, b, limit, plenty())).toBe(expected <= limit ? expected : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it("gives up when the budget is spent", () => {
    const budget = { steps: 100 };
    expect(distanceWithin("a".repeat(1_000), "a".repeat(1_000), 10, budget)).toBeUndefined();
    expect(budget.steps).toBeLessThan(0);
  });
});
