/**
 * What the git engine (`src/git`) is asked and answers. The engine runs where the files are: in the project's object, or in
 * a process of its own beside them. Everything here is JSON.
 */
export interface GitOperations {
  /** Make a repository; `remoteUrl` becomes `origin`. A repository that is there stays, and gets the remote. */
  init: { input: { defaultBranch: string; remoteUrl?: string }; output: { branch: string } };
  /** Replace all files by a shallow clone, once it is complete. An empty remote has no commit. */
  clone: {
    /** An executor's clone has a `term`, which is later than that of every executor before: an earlier one is a `conflict`. */
    input: { remote: GitRemote; branch?: string; term?: number };
    /** `notes` say, as sentences, what a clone here leaves out. */
    output: { branch: string; commitSha: string | null; notes: string[] };
  };
  /** Whether a remote can be read, and its default branch; needs no repository. */
  probe: {
    input: { remote: GitRemote };
    output: { defaultBranch: string | null; branches: { name: string; sha: string }[] };
  };
  status: { input: Record<string, never>; output: GitStatus };
  /** Stage these paths, deletions included; null stages everything. */
  stage: { input: { paths: readonly string[] | null }; output: { staged: number } };
  /**
   * Stage what `paths` names (null: everything changed; empty: nothing more) and commit what is staged. `conflict` when
   * there is nothing to commit, or files have conflicts.
   */
  commit: {
    input: { message: string; author: GitPerson; paths: readonly string[] | null };
    output: { sha: string };
  };
  /** `conflict` when the remote has commits that are not here, or refuses. */
  push: {
    input: { remote: GitRemote; remoteName: string; branch?: string; force: boolean };
    output: { branch: string; sha: string };
  };
  /** Fetch and merge. Conflicts are an answer: the files are left as they were. */
  pull: {
    input: { remote: GitRemote; remoteName: string; branch?: string; author: GitPerson };
    output: { branch: string; sha: string; conflicts: string[] };
  };
  /** Get a branch of the remote that may be switched to then; of a shallow clone its last commit. `not_found`. */
  fetch: { input: { remote: GitRemote; remoteName: string; branch: string }; output: { sha: string } };
  branches: { input: Record<string, never>; output: GitBranches };
  createBranch: { input: { name: string; checkout: boolean }; output: { checkedOut: boolean } };
  /** `conflict` when local changes would be lost. */
  switchBranch: { input: { name: string }; output: { branch: string } };
  /**
   * Commits from a branch or a revision (`HEAD~2`, a tag, the beginning of an id) back, of one path when named; at most
   * 1,000. `not_found` when nothing has that name.
   */
  log: {
    input: { branch?: string; revision?: string; path?: string; limit: number };
    output: { commits: GitCommit[] };
  };
  /**
   * What committing everything would change, as text of at most 1 MiB; of one path when named. `base` stands in for the last
   * commit; `target`, or what is `staged`, for the files as they are.
   */
  diff: {
    input: { path?: string; staged?: boolean; base?: string; target?: string };
    output: { diff: string; files: GitFileDiff[]; truncated: boolean };
  };
  /**
   * Where the lines from `start` to `end` (counted from 1) of a text file come from, in the files as they are or in a
   * revision. Renames are not followed. `not_found`, `too_large`, and `invalid_input` for what is no text.
   */
  blame: {
    input: { path: string; revision?: string; start: number; end: number };
    output: { lines: string[]; totalLines: number; hunks: GitBlameHunk[] };
  };
  remotes: { input: Record<string, never>; output: { name: string; url: string }[] };
  /** Forget a remote, what is known of its branches, and which branches follow them. Without it, or a repository, nothing. */
  removeRemote: { input: { name: string }; output: { removed: boolean } };
}

/** A remote over http(s); `auth` is used for this request alone and kept nowhere. */
export interface GitRemote {
  url: string;
  auth?: { username: string; password: string };
}

export interface GitPerson {
  name: string;
  email: string;
}

export interface GitStatus {
  /** Null before `init`. */
  branch: string | null;
  ahead: number;
  behind: number;
  changes: { path: string; status: "M" | "A" | "D" | "R" | "U" | "??"; staged: boolean }[];
  hasConflicts: boolean;
  remoteBranch: string | null;
  lastCommit: GitCommit | null;
}

export interface GitCommit {
  sha: string;
  message: string;
  author: GitPerson;
  committer: GitPerson;
  /** ISO 8601. */
  date: string;
  parents: string[];
}

export interface GitBranches {
  current: string | null;
  branches: { name: string; sha: string; remote: string | null }[];
}

export interface GitFileDiff {
  path: string;
  additions: number;
  deletions: number;
}

/** Lines next to each other that one commit brought. */
export interface GitBlameHunk {
  start: number;
  end: number;
  /** Null for what is not committed. */
  commit: GitCommit | null;
  /** Nothing older is known: the history is cut off here, or goes further back than was looked. */
  isBoundary: boolean;
}

export interface GitProgress {
  phase: string;
  loaded: number;
  total: number | null;
}
