import type { GitOperations, GitStatus } from "../protocol.ts";
import { currentBranch, hasRepository, resolve, type Repository } from "../repository.ts";
import { compareHistories } from "./compare-histories.ts";
import { readCommits } from "./log.ts";
import { upstreamOf } from "./upstream.ts";
import { conflictedPaths, isStaged, isUnstaged, pathStates, type PathState } from "./working-tree.ts";

type Change = GitStatus["changes"][number];

const NO_REPOSITORY: GitStatus = {
  branch: null,
  ahead: 0,
  behind: 0,
  changes: [],
  hasConflicts: false,
  remoteBranch: null,
  lastCommit: null,
};

/** Returns the changes, and how the branch relates to its remote as of the last fetch or push. */
export async function status(
  repository: Repository,
  _input: GitOperations["status"]["input"],
): Promise<GitStatus> {
  if (!(await hasRepository(repository))) return NO_REPOSITORY;
  const branch = await currentBranch(repository);
  const conflicts = new Set(await conflictedPaths(repository));
  const changes = (await pathStates(repository)).flatMap((state) =>
    conflicts.has(state.path) ? [] : changesOf(state),
  );
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch);
  const [ours, theirs] = await Promise.all([
    resolve(repository, "HEAD"),
    upstream && resolve(repository, `refs/remotes/${upstream}`),
  ]);
  return {
    branch: branch ?? "HEAD",
    ...(ours !== undefined && theirs !== undefined
      ? await compareHistories(repository, ours, theirs)
      : { ahead: 0, behind: 0 }),
    changes: [...[...conflicts].map((path): Change => ({ path, status: "U", staged: false })), ...changes],
    hasConflicts: conflicts.size > 0,
    remoteBranch: theirs === undefined ? null : (upstream ?? null),
    lastCommit: ours === undefined ? null : ((await readCommits(repository, ours, 1))[0] ?? null),
  };
}

/** Returns a path's changes: like the two columns of `git status --short`, a staged one and a later one. */
function changesOf(state: PathState): Change[] {
  const { path, inHead, file, staged } = state;
  const inIndex = staged !== "absent";
  const changes: Change[] = [];
  if (isStaged(state)) changes.push({ path, status: inIndex ? (inHead ? "M" : "A") : "D", staged: true });
  if (isUnstaged(state)) {
    changes.push({ path, status: !inIndex ? "??" : file === "absent" ? "D" : "M", staged: false });
  }
  return changes;
}
