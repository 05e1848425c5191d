import * as git from "isomorphic-git";
import type { GitOperations } from "../protocol.ts";
import { withoutCredentials } from "../remote-url.ts";
import { requireRepository, type Repository } from "../repository.ts";

/** The remotes of the repository's configuration, which its users can edit: an address is checked before it is used. */
export async function remotes(
  repository: Repository,
  _input: GitOperations["remotes"]["input"],
): Promise<GitOperations["remotes"]["output"]> {
  await requireRepository(repository);
  const found = await git.listRemotes({ ...repository.at });
  return found.map(({ remote, url }) => ({ name: remote, url: withoutCredentials(url) }));
}
