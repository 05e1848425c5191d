import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { readGuide, type GuidePage } from "#local/guide/contents.ts";
import { newMachine } from "#test/cli/support/machine.ts";
import { programSession } from "#test/cli/support/session.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { blocksOf, writeProgram } from "./support/page-program.ts";

const service = sharedService();
const folder = mkdtempSync(path.join(tmpdir(), "workspace-guide-"));
const machine = await newMachine();
afterAll(async () => {
  await machine.close();
  rmSync(folder, { recursive: true });
});

/** A Python that has httpx; the system's own may be behind another one. */
const PYTHON = ["python3", "/usr/bin/python3"].find(
  (command) => spawnSync(command, ["-c", "import httpx"]).status === 0,
);
const pages = readGuide().filter((page) => blocksOf(page).length > 0);
const needsPython = (page: GuidePage) => blocksOf(page).some(({ language }) => language === "python");

/** What a reader sees at the end of a page, as its last lines have it. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  "first-answer": /"type":"done".*"status":"completed"/u,
  client: /404 Task not found/u,
  streams: /"type":"done"/u,
  python: /\bdone\b/u,
  callbacks: /completed/u,
  approvals: /./u,
  previews: /http/u,
  "command-line": /"status":"completed"/u,
};

/** The environment of a reader: a signed-in command line, and a project and a key for programs. */
async function newReader(): Promise<Record<string, string>> {
  const owner = await service.signUp();
  const project = await service.newProject(owner.token, "Guide");
  const { key } = await service.newKey(owner.token, project.id);
  await machine.storeSession(service.url, await programSession(service, owner));
  const programs = mkdtempSync(path.join(folder, "programs-"));
  // A person's terminal has a session; the key is for programs.
  const command = path.join(programs, "workspace");
  writeFileSync(command, `#!/bin/sh\nunset WORKSPACE_API_KEY\nexec node ${machine.program} "$@"\n`);
  chmodSync(command, 0o755);
  return {
    ...machine.environment,
    PATH: `${programs}${path.delimiter}${machine.environment["PATH"]}`,
    WORKSPACE_URL: service.url,
    WORKSPACE_API_KEY: key,
    WORKSPACE_PROJECT: project.id,
    CALLBACK_URL: `${service.stack.callbacksUrl}/guide`,
  };
}

describe("the blocks of", () => {
  it.each(pages.filter((page) => PYTHON !== undefined || !needsPython(page)))("$name run as they stand", run);
  const left = PYTHON === undefined ? pages.filter(needsPython) : [];
  it.skipIf(left.length > 0).each(left)("$name (skipped: no Python with httpx)", run);

  async function run(page: GuidePage): Promise<void> {
    const work = mkdtempSync(path.join(folder, `${page.name}-`));
    const terms = { folder: work, service: service.url, python: PYTHON ?? "" };
    const child = spawn("bash", [await writeProgram(page, terms)], {
      cwd: work,
      env: await newReader(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [shown, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode === 0 ? "" : `${child.exitCode}\n${shown}\n${said}`).toBe("");
    expect(shown).toMatch(SHOWN[page.name] ?? /./u);
  }
});
