import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { sharedService } from "#test/support/shared-service.ts";
import { jsonLines, newMachine } from "./support/machine.ts";

const service = sharedService();
const Output = z.object({ output: z.base64() });
const { token } = await service.signUp();
const project = (await service.newProject(token)).id;
const { key } = await service.newKey(token, project);
const machine = await newMachine({ WORKSPACE_URL: service.stack.url, WORKSPACE_API_KEY: key });
afterAll(() => machine.close());

const exec = (...args: string[]) => machine.run(["exec", ...args]);
const sessions = async () =>
  (await service.call("GET", `/api/shell/sessions?project_id=${project}`, { token })).text;

describe("workspace exec", () => {
  it("gives the command's output and exit code, and starts the project for it", async () => {
    expect(await exec("--", "printf", "%s|", "a b", "it's", "$HOME")).toMatchObject({
      code: 0,
      stdout: "a b|it's|$HOME|",
      stderr: "",
    });
    expect(await exec("--", "echo one; echo two >&2; exit 7")).toMatchObject({
      code: 7,
      stdout: "one\ntwo\n",
    });
    expect(await exec("--cwd", "nowhere", "--", "pwd")).toMatchObject({ code: 1 });
  });

  it("gives lines of JSON", async () => {
    const { code, stdout } = await exec("--json", "--", "echo hello; exit 3");
    const lines = jsonLines(stdout);
    expect([code, lines.at(-1)]).toEqual([3, { exit_code: 3 }]);
    const output = lines.slice(0, -1).map((line) => Output.parse(line).output);
    expect(Buffer.concat(output.map((each) => Buffer.from(each, "base64"))).toString()).toBe("hello\n");
  });

  it("ends the command when its time is over, and at Ctrl-C", async () => {
    const late = await exec("--timeout", "2s", "--", "sleep 600");
    expect([late.code, late.stdout]).toEqual([124, ""]);
    const running = machine.start(["exec", "--", "sleep 600"]);
    await vi.waitFor(async () => expect(await sessions()).toContain("sleep 600"));
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(await sessions()).not.toContain("sleep 600");
  });

  it("refuses what cannot be run", async () => {
    expect((await exec()).code).toBe(2);
    expect((await exec("--project", crypto.randomUUID(), "--", "true")).code).toBe(4);
  });
});
