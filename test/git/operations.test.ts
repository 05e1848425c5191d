import { afterAll } from "vitest";
import { gitContract } from "#test/contracts/project-runtime/git.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { openGitProject } from "./support/git-project.ts";

const projects: { close: () => Promise<void> }[] = [];
const server = await startGitServer();
afterAll(async () => {
  await server.close();
  for (const project of projects) await project.close();
});

gitContract(
  async () => {
    const runtime = await openGitProject();
    projects.push(runtime);
    return { runtime };
  },
  async () => (await fetch(`${server.url}/new`, { method: "POST" })).text(),
);
