import * as git from "isomorphic-git";
import { checkRemoteName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { withoutCredentials } from "../remote-url.ts";
import { hasRepository, requireRepository, type Repository } from "../repository.ts";

/**
 * Returns the remotes of the repository's configuration, which its users can edit: an address is checked before it is
 * used.
 */
export async function remotes(
  repository: Repository,
  _input: GitOperations["remotes"]["input"],
): Promise<GitOperations["remotes"]["output"]> {
  await requireRepository(repository);
  const found = await git.listRemotes({ ...repository.at });
  return found.map(({ remote, url }) => ({ name: remote, url: withoutCredentials(url) }));
}

export async function removeRemote(
  repository: Repository,
  { name }: GitOperations["removeRemote"]["input"],
): Promise<GitOperations["removeRemote"]["output"]> {
  const { at } = repository;
  checkRemoteName(name);
  if (!(await hasRepository(repository))) return { removed: false };
  const found = await git.listRemotes({ ...at });
  if (!found.some(({ remote }) => remote === name)) return { removed: false };
  for (const branch of await git.listBranches({ ...at })) {
    if ((await git.getConfig({ ...at, path: `branch.${branch}.remote` })) !== name) continue;
    await git.setConfig({ ...at, path: `branch.${branch}.remote`, value: undefined });
    await git.setConfig({ ...at, path: `branch.${branch}.merge`, value: undefined });
  }
  for (const branch of await git.listBranches({ ...at, remote: name })) {
    await git.deleteRef({ ...at, ref: `refs/remotes/${name}/${branch}` });
  }
  await git.deleteRemote({ ...at, remote: name });
  return { removed: true };
}
