import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { areasWithJourneys, journeysOf, WHOLE_WAY } from "../support/tests-of-files.ts";

it("the journeys that a change runs exist, and so do the areas they are of", () => {
  expect(areasWithJourneys.filter((area) => !existsSync(`src/${area}`))).toEqual([]);
  const journeys = journeysOf(areasWithJourneys.map((area) => `src/${area}/index.ts`));
  expect([...journeys, WHOLE_WAY].filter((file) => !existsSync(file))).toEqual([]);
});
