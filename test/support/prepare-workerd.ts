import type { TestProject } from "vitest/node";
import { startGitServer } from "./git-server.ts";

/** What tests in workerd find outside: a git server, since none can be started there. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startGitServer();
  project.provide("gitServerUrl", server.url);
  return () => server.close();
}
