import * as git from "isomorphic-git";
import { checkBranchName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { withoutCredentials } from "../remote-url.ts";
import { currentBranch, hasRepository, type Repository } from "../repository.ts";
import { checkRemote } from "../remote-url.ts";

/** Creates a repository, or keeps an existing one. */
export async function init(
  repository: Repository,
  { defaultBranch, remoteUrl }: GitOperations["init"]["input"],
): Promise<GitOperations["init"]["output"]> {
  checkBranchName(defaultBranch);
  const url = remoteUrl === undefined ? undefined : checkRemote({ url: remoteUrl }).url;
  if (!(await hasRepository(repository))) await createRepository(repository, defaultBranch);
  if (url !== undefined) await setRemote(repository, "origin", url);
  return { branch: (await currentBranch(repository)) ?? defaultBranch };
}

export async function createRepository({ at }: Repository, defaultBranch: string): Promise<void> {
  await git.init({ ...at, defaultBranch });
  // isomorphic-git assumes a file system without modes and links; these files have both.
  const settings = { "core.filemode": true, "core.symlinks": true, "core.ignorecase": false };
  for (const [path, value] of Object.entries(settings)) await git.setConfig({ ...at, path, value });
}

export async function setRemote({ at }: Repository, remote: string, url: string): Promise<void> {
  await git.addRemote({ ...at, remote, url: withoutCredentials(url), force: true });
}

/** Makes a branch follow a branch of a remote. */
export async function setUpstream({ at }: Repository, branch: string, remote: string, remoteBranch: string) {
  await git.setConfig({ ...at, path: `branch.${branch}.remote`, value: remote });
  await git.setConfig({ ...at, path: `branch.${branch}.merge`, value: `refs/heads/${remoteBranch}` });
}
