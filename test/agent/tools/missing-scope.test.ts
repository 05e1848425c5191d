import { expect, it } from "vitest";
import { missingScope } from "#src/agent/tools/missing-scope.ts";

const writing = { name: "write_file", scope: "file.write" } as const;

it.each([
  ["a person, or a key without a list of scopes, may use every tool", null, true],
  ["a key may use a tool whose scope it has", ["file.read", "file.write"], true],
  ["a key may not use a tool whose scope it lacks", ["file.read"], false],
  ["a key with an empty list of scopes may use no tool that needs one", [], false],
])("%s", (_, scopes, isAllowed) => {
  expect(missingScope(writing, scopes) === undefined).toBe(isAllowed);
});

it("a tool that needs no scope is there for every key", () => {
  expect(missingScope({ name: "todo_read", scope: null }, [])).toBeUndefined();
});
