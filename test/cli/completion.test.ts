import { describe, expect, it } from "vitest";
import { candidates } from "#cli/commands/completion/candidates.ts";
import { commands } from "#cli/commands/index.ts";
import { linesAfter } from "#cli/commands/logs.ts";

const names = async () => ({ projects: ["shop", "site"], tasks: ["task-1"] });
const after = (...words: string[]) => candidates(commands, words, names);

describe("completion", () => {
  it("names commands, and those of a group", async () => {
    expect(await after("pro")).toEqual(["projects"]);
    expect(await after("__")).toEqual([]);
    expect(await after("projects", "s")).toEqual(["show", "start", "stop"]);
  });

  it("names options, and the words that one takes", async () => {
    expect(await after("run", "--de")).toEqual(["--debug", "--detach"].toReversed());
    expect(await after("run", "x", "--mode", "a")).toEqual(["ask", "allow"]);
    expect(await after("whoami", "--no-")).toEqual(["--no-input", "--no-color"]);
  });

  it("names projects and tasks of the service", async () => {
    expect(await after("projects", "show", "s")).toEqual(["shop", "site"]);
    expect(await after("run", "x", "-p", "si")).toEqual(["site"]);
    expect(await after("cancel", "")).toEqual(["task-1"]);
    expect(await after("cancel", "task-1", "")).toEqual([]);
  });
});

describe("the lines of a container's log that came since", () => {
  it.each([
    { before: [], now: ["a"], came: ["a"] },
    { before: ["a", "b"], now: ["a", "b"], came: [] },
    { before: ["a", "b"], now: ["a", "b", "c"], came: ["c"] },
    { before: ["a", "b", "c"], now: ["b", "c", "d"], came: ["d"] },
    { before: ["a", "b"], now: ["x", "y"], came: ["x", "y"] },
  ])("are $came of $now after $before", ({ before, now, came }) =>
    expect(linesAfter(before, now)).toEqual(came),
  );
});
