/**
 * What a pull or a push does with each path. Both are the same with the sides exchanged: the source gives, the target
 * takes. The record says what both sides had at the end of the last sync, so that a change of one side is told from a
 * change of both.
 */

/** A file as one side has it, by a version that only that side understands. */
export interface Versions {
  /** SHA-256 of the local file's content; undefined without the file. */
  readonly hash?: string | undefined;
  /** Entity tag of the file at the service; undefined without the file. */
  readonly etag?: string | undefined;
  /** SHA-256 of the content at the service, where that is known: an entity tag may change without the content. */
  readonly remoteHash?: string | undefined;
}

/** What both sides had after the last sync. */
export interface Recorded {
  readonly hash: string;
  readonly etag: string;
}

export type Direction = "pull" | "push";

export interface PlanOptions {
  readonly direction: Direction;
  /** Whether files are deleted that the source has deleted. */
  readonly delete: boolean;
  /** Whether the source wins where both sides have changed. */
  readonly force: boolean;
}

export type Step =
  /** The target gets the source's content. */
  | { readonly action: "create" | "update" }
  | { readonly action: "delete" }
  /** Both sides have the same content: only the record changes. */
  | { readonly action: "record" }
  | { readonly action: "forget" }
  /** Nothing to do. */
  | { readonly action: "none" }
  /** Left as it is, with the reason. */
  | { readonly action: "keep"; readonly reason: string }
  | { readonly action: "conflict"; readonly reason: string }
  /** To be decided again when the content at the service is known. */
  | { readonly action: "compare" };

type State = "absent" | "same" | "changed";

/** Decides about one path. */
export function decide(file: Versions, recorded: Recorded | undefined, options: PlanOptions): Step {
  const { source, target } = statesOf(file, recorded, options.direction);
  const here = WORDS[options.direction];
  if (source === "absent") {
    if (recorded === undefined) return { action: "none" };
    if (target === "absent") return { action: "forget" };
    if (!options.delete)
      return { action: "keep", reason: `deleted ${here.source}; --delete deletes it ${here.target}` };
    if (target === "same") return { action: "delete" };
    if (mustCompare(file, options)) return { action: "compare" };
    return options.force
      ? { action: "delete" }
      : { action: "conflict", reason: `deleted ${here.source}, changed ${here.target}` };
  }
  if (target === "absent") {
    if (recorded === undefined) return { action: "create" };
    if (options.force) return { action: "create" };
    return source === "same"
      ? { action: "keep", reason: `deleted ${here.target}` }
      : { action: "conflict", reason: `changed ${here.source}, deleted ${here.target}` };
  }
  if (source === "same") {
    return target === "same" ? { action: "none" } : { action: "keep", reason: `changed ${here.target}` };
  }
  if (target === "same") return { action: "update" };
  if (file.remoteHash === undefined) return { action: "compare" };
  if (file.remoteHash === file.hash) return { action: "record" };
  if (options.force) return { action: "update" };
  return {
    action: "conflict",
    reason: recorded === undefined ? "differs on both sides" : "changed on both sides",
  };
}

/** Where the sides are, as a person calls them. */
const WORDS = {
  pull: { source: "at the service", target: "here" },
  push: { source: "here", target: "at the service" },
} as const satisfies Record<Direction, { source: string; target: string }>;

function statesOf(
  file: Versions,
  recorded: Recorded | undefined,
  direction: Direction,
): { source: State; target: State } {
  const local = stateOf(file.hash, recorded?.hash);
  const isSameThere = file.remoteHash !== undefined && file.remoteHash === recorded?.hash;
  const remote = isSameThere && file.etag !== undefined ? "same" : stateOf(file.etag, recorded?.etag);
  return direction === "pull" ? { source: remote, target: local } : { source: local, target: remote };
}

function stateOf(version: string | undefined, recorded: string | undefined): State {
  if (version === undefined) return "absent";
  return version === recorded ? "same" : "changed";
}

/** Whether the service's file only seems to have changed until its content is known. */
function mustCompare({ etag, remoteHash }: Versions, { direction }: PlanOptions): boolean {
  return direction === "push" && etag !== undefined && remoteHash === undefined;
}
