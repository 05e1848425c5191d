import * as git from "isomorphic-git";
import type { GitOperations } from "../protocol.ts";
import type { Repository } from "../repository.ts";

const BRANCHES = "refs/heads/";

/** Returns a remote's branches and its default branch. */
export async function probe(
  repository: Repository,
  { remote }: GitOperations["probe"]["input"],
): Promise<GitOperations["probe"]["output"]> {
  const refs = await git.listServerRefs({ ...repository.over(remote), protocolVersion: 1, symrefs: true });
  const branches = refs.filter(({ ref }) => ref.startsWith(BRANCHES));
  const head = refs.find(({ ref }) => ref === "HEAD");
  // A host that does not send HEAD's target still sends its commit.
  const target = head?.target ?? branches.find(({ oid }) => oid === head?.oid)?.ref;
  return {
    defaultBranch: target?.slice(BRANCHES.length) ?? null,
    branches: branches.map(({ ref, oid }) => ({ name: ref.slice(BRANCHES.length), sha: oid })),
  };
}
