import type { TestProject } from "vitest/node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stop as stopEsbuild } from "esbuild";
import { buildShellIsolate } from "#hosts/command-runner/build.ts";
import { startCommandRunner } from "#hosts/command-runner/index.ts";
import { startGitServer } from "./git-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The command runner of the objects, for suites that run in workerd. */
    commandRunnerUrl: string;
  }
}

/** What tests in workerd find outside: a git server and a command runner, since none can be started there. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startGitServer();
  project.provide("gitServerUrl", server.url);
  const dir = mkdtempSync(path.join(tmpdir(), "workspace-runner-"));
  await buildShellIsolate("public/shell/isolate.js");
  await stopEsbuild();
  const runner = await startCommandRunner({ dir });
  project.provide("commandRunnerUrl", runner.url);
  return async () => {
    await runner.close();
    rmSync(dir, { recursive: true, force: true });
    await server.close();
  };
}
