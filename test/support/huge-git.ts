import type { GitCommit, GitOperations } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";

const PERSON = { name: "Ada", email: "ada@example.test" };

const commit = (index: number): GitCommit => ({
  sha: index.toString(16).padStart(40, "0"),
  message: "m".repeat(20_000),
  author: PERSON,
  committer: PERSON,
  date: "2026-01-02T03:04:05.000Z",
  parents: [],
});

const many = <T>(make: (index: number) => T, length = 3_000) =>
  Array.from({ length }, (_, index) => make(index));

const ANSWERS: { [Name in keyof GitOperations]?: GitOperations[Name]["output"] } = {
  status: {
    branch: "main",
    ahead: 1,
    behind: 2,
    changes: many((index) => ({ path: `${"long/".repeat(40)}${index}`, status: "M", staged: false })),
    hasConflicts: false,
    remoteBranch: "origin/main",
    lastCommit: commit(0),
  },
  diff: {
    diff: "+x\n".repeat(300_000),
    files: many((index) => ({ path: `${"long/".repeat(40)}${index}`, additions: 1, deletions: 0 })),
    truncated: false,
  },
  log: { commits: many(commit, 500) },
  blame: {
    lines: many(() => "line ".repeat(20), 1_000),
    totalLines: 1_000,
    hunks: many(
      (index) => ({ start: index + 1, end: index + 1, commit: commit(index), isBoundary: false }),
      1_000,
    ),
  },
};

/** A repository whose responses are as large as they can be. */
export async function hugeGit<Name extends keyof GitOperations>(
  name: Name,
): Promise<GitOperations[Name]["output"]> {
  const answer = ANSWERS[name];
  if (!answer) throw new AppError("not_found", `Nothing to say of ${name}`);
  return answer;
}
