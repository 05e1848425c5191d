import * as git from "isomorphic-git";
import type { ReadCommitResult } from "isomorphic-git";
import type { Repository } from "../repository.ts";

/** Counting stops at this many differing commits. */
const MAX_COMMITS = 2_000;

const OURS = 1;
const THEIRS = 2;
const BOTH = 3;

/**
 * Counts the commits that each of two histories has and the other lacks. Walks newest first until only common commits
 * remain. A commit that is missing in a shallow clone ends its history.
 */
export async function compareHistories(
  { at }: Repository,
  ours: string,
  theirs: string,
): Promise<{ ahead: number; behind: number }> {
  if (ours === theirs) return { ahead: 0, behind: 0 };
  const sides = new Map<string, number>([
    [ours, OURS],
    [theirs, THEIRS],
  ]);
  const read = async (oid: string): Promise<ReadCommitResult[]> => {
    try {
      return [await git.readCommit({ ...at, oid })];
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return [];
      throw error;
    }
  };
  const queue = [...(await read(ours)), ...(await read(theirs))];
  let oldest = Infinity;
  for (let seen = 0; seen < MAX_COMMITS; seen += 1) {
    queue.sort((a, b) => timestampOf(a) - timestampOf(b));
    const next = queue.pop();
    if (!next) break;
    const side = sides.get(next.oid) ?? 0;
    if (side !== BOTH) oldest = Math.min(oldest, timestampOf(next));
    // All remaining commits are common and older than every differing one, so the counts are final.
    else if (timestampOf(next) < oldest && queue.every(({ oid }) => sides.get(oid) === BOTH)) break;
    for (const parent of next.commit.parent) {
      const before = sides.get(parent) ?? 0;
      if ((before | side) === before) continue;
      sides.set(parent, before | side);
      if (!queue.some(({ oid }) => oid === parent)) queue.push(...(await read(parent)));
    }
  }
  const count = (side: number): number => [...sides.values()].filter((value) => value === side).length;
  return { ahead: count(OURS), behind: count(THEIRS) };
}

function timestampOf({ commit }: ReadCommitResult): number {
  return commit.committer.timestamp;
}
