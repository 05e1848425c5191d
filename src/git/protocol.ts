/**
 * Input and output of the git engine (`src/git`). The engine runs where the files are: in the project's object, or in a
 * separate process beside them. Everything here is JSON.
 */
export interface GitOperations {
  /** Creates a repository; `remoteUrl` becomes `origin`. An existing repository is kept, and gets the remote. */
  init: { input: { defaultBranch: string; remoteUrl?: string }; output: { branch: string } };
  /** Replaces all files by a shallow clone, once it is complete. An empty remote has no commit. */
  clone: {
    /**
     * An executor's clone has a `term` as its fence, which is higher than that of every earlier executor; a clone of an
     * earlier term is a `conflict`.
     */
    input: { remote: GitRemote; branch?: string; term?: number };
    /** `notes` are sentences about the parts that a clone leaves out. */
    output: { branch: string; commitSha: string | null; notes: string[] };
  };
  /** Checks whether a remote can be read, and returns its default branch; needs no repository. */
  probe: {
    input: { remote: GitRemote };
    output: { defaultBranch: string | null; branches: { name: string; sha: string }[] };
  };
  status: { input: Record<string, never>; output: GitStatus };
  /** Stages these paths, including deletions; null stages everything. */
  stage: { input: { paths: readonly string[] | null }; output: { staged: number } };
  /**
   * Stages what `paths` names (null: everything changed; empty: nothing more) and commits what is staged. `conflict`
   * when there is nothing to commit, or files have conflicts.
   */
  commit: {
    input: { message: string; author: GitPerson; paths: readonly string[] | null };
    output: { sha: string };
  };
  /** `conflict` when the remote has commits that are missing here, or refuses the push. */
  push: {
    input: { remote: GitRemote; remoteName: string; branch?: string; force: boolean };
    output: { branch: string; sha: string };
  };
  /** Fetches and merges. Conflicts are a result: the files stay unchanged. */
  pull: {
    input: { remote: GitRemote; remoteName: string; branch?: string; author: GitPerson };
    output: { branch: string; sha: string; conflicts: string[] };
  };
  /**
   * Fetches a branch of the remote, which can then be switched to; in a shallow clone only its last commit.
   * `not_found`.
   */
  fetch: { input: { remote: GitRemote; remoteName: string; branch: string }; output: { sha: string } };
  branches: { input: Record<string, never>; output: GitBranches };
  createBranch: { input: { name: string; checkout: boolean }; output: { checkedOut: boolean } };
  /** `conflict` when local changes would be lost. */
  switchBranch: { input: { name: string }; output: { branch: string } };
  /**
   * Returns commits from a branch or a revision (`HEAD~2`, a tag, the beginning of an id) back, of one path if given;
   * at most 1,000. `not_found` when the revision does not exist.
   */
  log: {
    input: { branch?: string; revision?: string; path?: string; limit: number };
    output: { commits: GitCommit[] };
  };
  /**
   * Returns what committing everything would change, as text of at most 1 MiB; of one path if given. `base` replaces
   * the last commit; `target`, or what is `staged`, replaces the current files.
   */
  diff: {
    input: { path?: string; staged?: boolean; base?: string; target?: string };
    output: { diff: string; files: GitFileDiff[]; truncated: boolean };
  };
  /**
   * Finds the commits of the lines from `start` to `end` (counted from 1) of a text file, in the current files or in a
   * revision. Renames are not followed. `not_found`, `too_large`, and `invalid_input` for a file that is not text.
   */
  blame: {
    input: { path: string; revision?: string; start: number; end: number };
    output: { lines: string[]; totalLines: number; hunks: GitBlameHunk[] };
  };
  remotes: { input: Record<string, never>; output: { name: string; url: string }[] };
  /**
   * Removes a remote, its known branches, and the settings of branches that follow them. Does nothing without the
   * remote or a repository.
   */
  removeRemote: { input: { name: string }; output: { removed: boolean } };
}

/** A remote over http(s); `auth` is used for this request only and not stored. */
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

/** Adjacent lines of one commit. */
export interface GitBlameHunk {
  start: number;
  end: number;
  /** Null for uncommitted lines. */
  commit: GitCommit | null;
  /** No older commit is known: the history is truncated here, or goes further back than the search. */
  isBoundary: boolean;
}

export interface GitProgress {
  phase: string;
  loaded: number;
  total: number | null;
}
