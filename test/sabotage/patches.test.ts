import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { expect, it } from "vitest";

it("every fault of test/sabotage still fits the code", () => {
  const patches = globSync("test/sabotage/**/*.patch");
  expect(patches.length).toBeGreaterThanOrEqual(60);
  const unfit = patches.filter((patch) => spawnSync("git", ["apply", "--check", patch]).status !== 0);
  expect(unfit).toEqual([]);
});
