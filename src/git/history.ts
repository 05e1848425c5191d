import * as git from "isomorphic-git";
import type { GitCommit } from "./protocol.ts";
import type { Repository } from "./repository.ts";

type ReadCommit = git.ReadCommitResult;

/** Directories of commits that are remembered: neighbours share most of theirs. */
const MAX_REMEMBERED = 2_000;

export interface History {
  read(oid: string): Promise<ReadCommit>;
  /** The parents that are here: a shallow clone ends at commits that have some elsewhere. */
  parentsOf(commit: ReadCommit): Promise<ReadCommit[]>;
  /** Whether the commit has parents that are not here. */
  isCutOff(commit: ReadCommit): boolean;
  /** The id of the file or directory that a commit has at a path. */
  entryOf(commit: ReadCommit, path: string): Promise<string | undefined>;
}

/** The commits of a repository, and what they hold, for a walk back through them. */
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

/** Commits that are still to be looked at, the newest first, each once at a time. */
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
    // Git ends each message with a line break, which is none of the text.
    message: message.replace(/\n+$/u, ""),
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    date: new Date(author.timestamp * 1000).toISOString(),
    parents: parent,
  };
}
