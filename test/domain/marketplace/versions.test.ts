import { afterAll, describe, expect, it } from "vitest";
import { listVersions } from "#src/domain/marketplace/catalogue/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { nodeTransport } from "#workspace-server/git/node-transport.ts";

/** What the log says. */
const warnings: string[] = [];
const deps = {
  gitTransport: nodeTransport,
  log: { ...createLog(), warn: (message: string) => void warnings.push(message) },
};

const server = await startGitServer();
afterAll(() => server.close());

describe("the versions of a template", () => {
  it("are the newest tags of its repository, as commits, read once in ten minutes", async () => {
    const gitRepoUrl = server.create("starter", { "a.txt": "a" });
    for (const tag of ["v1.2", "v1.9", "v1.10", "v0.1", "v0.2", "v0.3"]) {
      server.git("starter", ["tag", "-a", "-m", "a release", tag, "main"]);
    }
    const sha = server.git("starter", ["rev-parse", "main"]);
    const newest = ["v1.10", "v1.9", "v1.2", "v0.3", "v0.2"].map((name) => ({ name, sha }));
    expect(await listVersions(deps, { gitRepoUrl })).toEqual(newest);
    const asked = server.requests.length;
    expect(await listVersions(deps, { gitRepoUrl })).toEqual(newest);
    expect(server.requests).toHaveLength(asked);
  });

  it("are none for a repository without tags, and for a template without a repository", async () => {
    const gitRepoUrl = server.create("young", { "a.txt": "a" });
    expect(await listVersions(deps, { gitRepoUrl })).toEqual([]);
    expect(await listVersions(deps, { gitRepoUrl: null })).toEqual([]);
  });

  it("are none, for ten minutes, where the git host fails", async () => {
    const gitRepoUrl = server.create("broken", { "a.txt": "a" });
    server.setFault({ kind: "garbage" });
    expect(await listVersions(deps, { gitRepoUrl })).toEqual([]);
    server.setFault(undefined);
    const asked = server.requests.length;
    expect(await listVersions(deps, { gitRepoUrl })).toEqual([]);
    expect(server.requests).toHaveLength(asked);
    expect(warnings.at(-1)).toContain("versions of a template were not read");
  });
});
