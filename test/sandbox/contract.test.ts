import { afterAll, beforeAll, describe } from "vitest";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { notesContract } from "#test/contracts/project-runtime/notes.ts";
import { readOnlyCommandsContract } from "#test/contracts/project-runtime/read-only-commands.ts";
import { storageContract, storageStatesContract } from "#test/contracts/project-runtime/storage.ts";
import { reopened, type Open } from "#test/contracts/project-runtime/under-test.ts";
import { startScriptedSandboxes, type ScriptedSandboxes } from "./support/scripted-sandboxes.ts";

let sandboxes: ScriptedSandboxes;
beforeAll(async () => {
  sandboxes = await startScriptedSandboxes();
});
afterAll(() => sandboxes?.close());

const openNew: Open = async () => {
  const { runtime, mount, crash } = sandboxes.newProject();
  return { runtime, mount, restart: crash };
};

const open = reopened(openNew);

/** All of it; the other parts are the workspace server's, which runs them in test/hosts/runtime-host.test.ts. */
const COMPLETE = Boolean(process.env["SANDBOX_TESTS"]);

describe.skipIf(COMPLETE)("the sandbox driver over scripted containers: what the object decides", () => {
  storageContract(open);
  storageStatesContract(openNew);
  notesContract(openNew);
  readOnlyCommandsContract(open, { refused: true });
});

describe.runIf(COMPLETE)("the sandbox driver over scripted containers", () => {
  // Walls are the platform's.
  projectRuntimeContract("all of it", open, {
    contained: false,
    runsProcesses: true,
    readOnlyCommands: false,
    openNew,
  });
});
