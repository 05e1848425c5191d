import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGit } from "#src/git/index.ts";
import type { GitOperations } from "#src/git/protocol.ts";
import { nodeFiles } from "#workspace-server/git/node-files.ts";
import { nodeTransport } from "#workspace-server/git/node-transport.ts";

/** A directory with the git engine over it, and as much of a project runtime as the git contract uses. */
export async function openGitProject(options: { maxBytes?: number } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "git-project-"));
  const root = join(directory, "files");
  await mkdir(root);
  const transport = nodeTransport(options.maxBytes);

  async function git<Name extends keyof GitOperations>(
    name: Name,
    input: GitOperations[Name]["input"],
    runOptions?: { signal?: AbortSignal },
  ): Promise<GitOperations[Name]["output"]> {
    if (name !== "clone")
      return createGit({ files: await nodeFiles(root), transport }).run(name, input, runOptions);
    const staging = join(directory, "staging");
    await mkdir(staging);
    try {
      const output = await createGit({ files: await nodeFiles(staging), transport }).run(
        name,
        input,
        runOptions,
      );
      await rm(root, { recursive: true });
      await rename(staging, root);
      return output;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  return {
    root,
    git,
    readFile: (path: string) => readFile(join(root, path)).catch(() => undefined),
    async writeFile(path: string, content: Uint8Array) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
      return entry(path);
    },
    remove: (path: string, { recursive }: { recursive: boolean }) => rm(join(root, path), { recursive }),
    stat: async (path: string) =>
      (await readFile(join(root, path)).catch(() => undefined)) ? entry(path) : undefined,
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

function entry(path: string) {
  return { path, name: path, kind: "file" as const, size: 0, modifiedAt: 0 };
}
