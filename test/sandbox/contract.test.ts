import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { notesContract } from "#test/contracts/project-runtime/notes.ts";
import { readOnlyCommandsContract } from "#test/contracts/project-runtime/read-only-commands.ts";
import { storageContract, storageStatesContract } from "#test/contracts/project-runtime/storage.ts";
import type { Open } from "#test/contracts/project-runtime/under-test.ts";
import { startScriptedSandboxes, type ScriptedSandboxes } from "./support/scripted-sandboxes.ts";

let sandboxes: ScriptedSandboxes;
beforeAll(async () => {
  sandboxes = await startScriptedSandboxes();
});
afterEach(() => sandboxes?.endContainers());
afterAll(() => sandboxes?.close());

const open: Open = async () => {
  const { runtime, mount, crash } = sandboxes.newProject();
  return { runtime, mount, restart: crash };
};

/** All of it; the other parts are the workspace server's, which has a run of its own. */
const COMPLETE = Boolean(process.env["SANDBOX_TESTS"]);

describe.skipIf(COMPLETE)("the sandbox driver over scripted containers: what the object decides", () => {
  storageContract(open);
  storageStatesContract(open);
  notesContract(open);
  readOnlyCommandsContract(open, { refused: true });
});

describe.runIf(COMPLETE)("the sandbox driver over scripted containers", () => {
  // Walls are the platform's.
  projectRuntimeContract("all of it", open, {
    contained: false,
    runsProcesses: true,
    readOnlyCommands: false,
  });
});
