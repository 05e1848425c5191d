import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { PIPE_END } from "#src/platform/runtime/project-pipes.ts";
import { Pipes, type Alarms } from "#workspace-server/programs/pipes.ts";
import { Programs } from "#workspace-server/programs/programs.ts";
import { Workspace } from "#workspace-server/workspace.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "pipes-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A caller whose connection never ends. */
const stays = new AbortController().signal;
const spec = (file: string, ...args: string[]) => ({ file, args, cwd: root, env: {} });
const KILLED = expect.stringContaining(`${PIPE_END}{"exitCode":137`);

/** Pipes, whose alarm is rung here; and how often callers have given signs. */
function world() {
  const seen = { signs: 0, stopped: 0, ring: () => {} };
  const alarms: Alarms = (ring) => {
    seen.ring = ring;
    return { restart: () => void (seen.signs += 1), stop: () => void (seen.stopped += 1) };
  };
  return { seen, pipes: new Pipes(root, new Programs(), alarms) };
}

describe("a program whose caller was lost without an end of the connection", () => {
  it("ends after a silence, with its child, and its place is free", async () => {
    const { seen, pipes } = world();
    const output = await pipes.open(
      "one",
      spec("bash", "-c", "echo here; sleep 86344 & exec sleep 86344"),
      stays,
    );
    expect(String((await output.next()).value)).toBe("here\n");
    seen.ring();
    expect(await text(output)).toEqual(KILLED);
    await expect.poll(() => pipes.isBusy).toBe(false);
    expect(seen.stopped).toBe(1);
  });

  it("has its silence counted anew by any input, of which an empty one is not read", async () => {
    const { seen, pipes } = world();
    const output = await pipes.open("one", spec("cat"), stays);
    pipes.write("one", "");
    pipes.write("one", "a line\n");
    pipes.write("one", "");
    expect(seen.signs).toBe(3);
    expect(String((await output.next()).value)).toBe("a line\n");
    await output.return(undefined);
    await expect.poll(() => pipes.isBusy).toBe(false);
    expect(() => pipes.write("one", "")).toThrow("The program has ended");
  });
});

it("a stop also ends what is just starting, of every kind", async () => {
  const workspace = await Workspace.open(root);
  const sleep = { command: "exec sleep 86355", cwd: root, env: {} };
  const pipe = workspace.pipes.open("pipe", spec("sleep", "86355"), stays);
  const command = workspace.commands.start("command", { ...sleep, timeoutMs: 600_000 });
  const shell = workspace.shells.open("shell", { ...sleep, columns: 80, rows: 24 });
  const process = workspace.processes.start("process", sleep);
  await workspace.stopAll("The project was stopped");
  expect(await text(await pipe)).toEqual(KILLED);
  expect(await (await command).result).toMatchObject({ exitCode: 137 });
  await Promise.all([shell, process]);
  await expect.poll(() => workspace.processes.states()).toMatchObject([{ running: false }]);
  await expect.poll(() => workspace.shells.get("shell").endedAt).toBeGreaterThan(0);
});
