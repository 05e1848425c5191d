import * as git from "isomorphic-git";
import { checkBranchName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { checkRemote } from "../remote-url.ts";
import type { Repository } from "../repository.ts";
import { checkout } from "./checkout.ts";
import { fetchBranch } from "./fetch.ts";
import { createRepository, setRemote, setUpstream } from "./init.ts";

const REMOTE = "origin";
/** Default branch of a remote that names none, as on most hosts. */
const DEFAULT_BRANCH = "main";

/** Clones the last commit of one branch into an empty tree. */
export async function clone(
  repository: Repository,
  { remote, branch }: GitOperations["clone"]["input"],
): Promise<GitOperations["clone"]["output"]> {
  const { at } = repository;
  if (branch !== undefined) checkBranchName(branch);
  await createRepository(repository, branch ?? DEFAULT_BRANCH);
  await setRemote(repository, REMOTE, checkRemote(remote).url);
  const fetched = await fetchBranch(repository, { remote, remoteName: REMOTE, branch, depth: 1 });
  const name = fetched?.branch ?? branch ?? DEFAULT_BRANCH;
  await setUpstream(repository, checkBranchName(name), REMOTE, name);
  if (!fetched) return { branch: name, commitSha: null, notes: [] };
  await git.writeRef({ ...at, ref: `refs/heads/${name}`, value: fetched.sha });
  await git.writeRef({ ...at, ref: "HEAD", value: `refs/heads/${name}`, symbolic: true, force: true });
  await checkout(repository, fetched.sha);
  return { branch: name, commitSha: fetched.sha, notes: await notes(repository) };
}

async function notes({ files }: Repository): Promise<string[]> {
  const attributes = await files.readFile(".gitattributes").catch(() => new Uint8Array());
  const submodules = await files.lstat(".gitmodules").catch(() => undefined);
  return [
    ...(/\bfilter=lfs\b/u.test(new TextDecoder().decode(attributes))
      ? ["Files that the repository keeps in Git LFS are pointers here"]
      : []),
    ...(submodules ? ["Submodules are empty directories here"] : []),
  ];
}
