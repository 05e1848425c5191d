import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

/** As in a worker of vitest: a listener is there before the setup file. */
const PROGRAM = `
  process.on("unhandledRejection", (error) => console.log(error.stack));
  await import("#test/support/rejections.ts");
  async function forgotten() { await undefined; throw undefined; }
  void forgotten();
  void Promise.reject(new TypeError("has a stack of its own"));
`;

it("reports each unhandled rejection once, with its reason and the place in the program", async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM]);
  expect(stdout).toMatch(/no error: undefined\n +at forgotten /u);
  expect(stdout).toMatch(/^TypeError: has a stack of its own\n/mu);
  expect(stdout.match(/Error: /gu)).toHaveLength(2);
});
