import * as git from "isomorphic-git";
import type { GitCommit } from "./protocol.ts";
import type { Repository } from "./repository.ts";

type ReadCommit = git.ReadCommitResult;

/** Most directories of commits that are cached: neighbouring commits share most of theirs. */
const MAX_REMEMBERED = 2_000;

export interface History {
  read(oid: string): Promise<ReadCommit>;
  /** The parents that are present: a shallow clone lacks some commits' parents. */
  parentsOf(commit: ReadCommit): Promise<ReadCommit[]>;
  /** Whether parents of the commit are missing. */
  isCutOff(commit: ReadCommit): boolean;
  /** Returns the id of the file or directory at a path of a commit. */
  entryOf(commit: ReadCommit, path: string): Promise<string | undefined>;
}

/** Opens a repository's commits and their contents for a walk backwards. */
export async function openHistory({ at, files }: Repository): Promise<History> {
  const shallow = new Set(
    await files.readFile(".git/shallow").then(
      (bytes) => new TextDecoder().decode(bytes).split("\n"),
      () => [],
    ),
  );
  const trees = new Map<string, ReadonlyMap<string, string>>();
  const read = (oid: string) => git.readCommit({ ...at, oid });
  const readTree = async (oid: string): Promise<ReadonlyMap<string, string>> => {
    const known = trees.get(oid);
    if (known) return known;
    const { tree } = await git.readTree({ ...at, oid });
    const entries = new Map(tree.map((entry) => [entry.path, `${entry.type} ${entry.oid}`]));
    if (trees.size >= MAX_REMEMBERED) trees.clear();
    trees.set(oid, entries);
    return entries;
  };
  return {
    read,
    parentsOf: ({ oid, commit }) =>
      shallow.has(oid) ? Promise.resolve([]) : Promise.all(commit.parent.map(read)),
    isCutOff: ({ oid, commit }) => shallow.has(oid) && commit.parent.length > 0,
    async entryOf({ commit }, path) {
      let here: string | undefined = `tree ${commit.tree}`;
      for (const name of path.split("/")) {
        if (!here?.startsWith("tree ")) return undefined;
        here = (await readTree(here.slice("tree ".length))).get(name);
      }
      return here?.slice(here.indexOf(" ") + 1);
    },
  };
}

/** Commits still to visit, the newest first, each at most once at a time. */
export class CommitQueue {
  readonly #pending = new Map<string, ReadCommit>();

  constructor(first: readonly ReadCommit[] = []) {
    for (const commit of first) this.add(commit);
  }

  add(commit: ReadCommit): void {
    this.#pending.set(commit.oid, commit);
  }

  take(): ReadCommit | undefined {
    let newest: ReadCommit | undefined;
    for (const each of this.#pending.values()) {
      if (!newest || each.commit.committer.timestamp > newest.commit.committer.timestamp) newest = each;
    }
    if (newest) this.#pending.delete(newest.oid);
    return newest;
  }
}

export function toGitCommit({ oid, commit: { message, author, committer, parent } }: ReadCommit): GitCommit {
  return {
    sha: oid,
    // Git ends each message with a line break that is not part of the text.
    message: message.replace(/\n+$/u, ""),
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    date: new Date(author.timestamp * 1000).toISOString(),
    parents: parent,
  };
}
