import { expect, it } from "vitest";
import { SessionLines } from "#durable-objects/project-workspace/session-lines.ts";

/** Lines of a session whose shell leaves the variables that it was given, and what each was given. */
function open() {
  const given: (string | undefined)[][] = [];
  const run = async ({
    value,
  }: {
    value: { env: Record<string, string>; variables?: Record<string, string> };
  }) => {
    const variables = value.variables ?? value.env;
    given.push([variables["COLUMNS"], variables["LINES"]]);
    return {
      value: { kind: "line", output: "", status: 0, exits: false, cwd: "/app", variables, scratch: [] },
    };
  };
  const surroundings: unknown = { project: "project", files: {}, runner: { run } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of them is used by lines that read no file
  const lines = new SessionLines(surroundings as ConstructorParameters<typeof SessionLines>[0], {
    cwd: "",
    env: { COLUMNS: "80", LINES: "24" },
  });
  const line = () => lines.run("true", { signal: new AbortController().signal, mayContinue: false });
  return { lines, given, line };
}

it("the lines of a shell see the size that its terminal was resized to, before the first and after others", async () => {
  const { lines, given, line } = open();
  lines.resize(100, 30);
  await line();
  await line();
  lines.resize(120, 40);
  await line();
  expect(given).toEqual([
    ["100", "30"],
    ["100", "30"],
    ["120", "40"],
  ]);
});
