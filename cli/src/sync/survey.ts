import { atOnce } from "./at-once.ts";
import { IgnoreRules, IGNORE_FILES } from "./ignore-rules.ts";
import { LocalProblem, reasonOf, type LocalFiles } from "./local-files.ts";
import { hashLocal, isSameStamp, readLocalTree, type LocalTree, type Stamp } from "./local-tree.ts";
import { colliding, problemOfPath } from "./paths.ts";
import { decide, type PlanOptions, type Step, type Versions } from "./plan.ts";
import type { SyncRecord } from "./record.ts";
import type { RemoteFile, RemoteFiles, RemoteTree } from "./remote-files.ts";

/** Requests under way at once. */
export const AT_ONCE = 6;
/** Paths that the service reads in one request. */
const BATCH_PATHS = 200;

/** One path with what is to be done. */
export interface Task {
  readonly path: string;
  readonly step: Step | { readonly action: "skip" | "fail"; readonly reason: string };
  readonly local: Local | undefined;
  readonly remote: RemoteFile | undefined;
}

/** A local file, with the stamp that its hash was taken of. */
export interface Local {
  readonly hash: string;
  readonly stamp: Stamp;
}

export interface Sides {
  readonly root: string;
  readonly files: LocalFiles;
  readonly remote: RemoteFiles;
  readonly record: SyncRecord;
}

export interface SurveyOptions extends PlanOptions {
  /** Only this file, or the files below this folder; everything when it is the empty string. */
  readonly within: string;
  readonly platform: NodeJS.Platform;
  /** Ends the sync; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** Looks at both sides and decides what is to be done, by path. Changes nothing. */
export async function survey(sides: Sides, options: SurveyOptions): Promise<Task[]> {
  const rules = new IgnoreRules();
  const local = await readLocalTree(sides.root, rules);
  const remote = await sides.remote.tree();
  if (options.direction === "pull") await addRemoteRules(sides.remote, remote, local, rules);

  const paths = new Set([...local.files.keys(), ...local.others, ...remote.files.keys(), ...remote.others]);
  for (const path of sides.record.paths) paths.add(path);
  const collisions = ignoresCase(options.platform) ? colliding([...remote.files.keys()]) : new Set<string>();
  const tasks: Task[] = [];
  await atOnce(AT_ONCE, [...paths].toSorted(), async (path) => {
    options.signal.throwIfAborted();
    // The rules take no path that leads out.
    const isIgnored = problemOfPath(path, options.platform) === undefined && rules.ignores(path);
    if (!isWithin(path, options.within) || isIgnored) return;
    const task = await look(sides, { local, remote, collisions }, path, options);
    if (task) tasks.push(task);
  });
  return tasks.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface Seen {
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  readonly collisions: ReadonlySet<string>;
}

async function look(
  sides: Sides,
  seen: Seen,
  path: string,
  options: SurveyOptions,
): Promise<Task | undefined> {
  const remote = seen.remote.files.get(path);
  const stamp = seen.local.files.get(path);
  const task = (step: Task["step"], local?: Local): Task => ({ path, step, local, remote });
  const isAtSource = options.direction === "pull" ? remote !== undefined : stamp !== undefined;

  const problem = problemOfPath(path, options.platform);
  if (problem !== undefined) return isAtSource ? task({ action: "skip", reason: problem }) : undefined;
  if (seen.collisions.has(path)) {
    return task({ action: "skip", reason: "another path differs in upper and lower case only" });
  }
  const special = specialOf(seen, path, options, isAtSource);
  if (special) return task(special);

  const recorded = sides.record.get(path);
  const isOneSided = remote === undefined && recorded === undefined && options.direction === "pull";
  if (isOneSided) return undefined;
  try {
    const local = stamp && (await localOf(sides, path, stamp));
    const versions = { hash: local?.hash, etag: remote?.etag };
    const step = decide(versions, recorded, options);
    if (step.action !== "compare") return task(step, local);
    return await compare(sides, path, versions, { local, remote }, options);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return task({ action: "fail", reason });
  }
}

/** Decides again, with the content at the service. */
async function compare(
  { remote, record }: Sides,
  path: string,
  versions: Versions,
  sides: Pick<Task, "local" | "remote">,
  options: PlanOptions,
): Promise<Task> {
  const { etag, hash } = await remote.hash(path);
  const step = decide({ ...versions, etag, remoteHash: hash }, record.get(path), options);
  const size = sides.remote?.size ?? 0;
  return { path, step, local: sides.local, remote: { etag, size } };
}

/** Links and the like: on either side they are left alone. */
function specialOf(
  { local, remote }: Seen,
  path: string,
  { direction }: PlanOptions,
  isAtSource: boolean,
): Task["step"] | undefined {
  const here = local.others.has(path);
  const there = remote.others.has(path);
  if (direction === "push" ? here : there) return { action: "skip", reason: "a link is not followed" };
  if (!here && !there) return isAtSource ? specialParent(local, path, direction) : undefined;
  if (!isAtSource) return undefined;
  return { action: "conflict", reason: here ? "a link is here" : "a link is at the service" };
}

function specialParent(
  local: LocalTree,
  path: string,
  direction: PlanOptions["direction"],
): Task["step"] | undefined {
  if (direction === "push") return undefined;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const folder = path.slice(0, at);
    if (local.others.has(folder)) return { action: "conflict", reason: `${folder} is a link here` };
  }
  return undefined;
}

/** Reads the file only if it was touched since the last sync. */
async function localOf({ files, record }: Sides, path: string, stamp: Stamp): Promise<Local> {
  const recorded = record.get(path);
  if (recorded?.stamp && isSameStamp(recorded.stamp, stamp)) return { hash: recorded.hash, stamp };
  const read = await hashLocal(files.absolute(path));
  if (!isSameStamp(read.stamp, stamp)) throw new LocalProblem("changed here meanwhile");
  return read;
}

/** Ignore files that only the service has count as well: a first pull would bring everything otherwise. */
async function addRemoteRules(
  files: RemoteFiles,
  remote: RemoteTree,
  local: LocalTree,
  rules: IgnoreRules,
): Promise<void> {
  const wanted = [...remote.files.keys()].filter(
    (path) =>
      IGNORE_FILES.some((name) => path === name || path.endsWith(`/${name}`)) &&
      problemOfPath(path) === undefined &&
      !local.files.has(path) &&
      !rules.ignores(path),
  );
  for (let at = 0; at < wanted.length; at += BATCH_PATHS) {
    for (const [path, { content }] of await files.readTexts(wanted.slice(at, at + BATCH_PATHS))) {
      rules.add(path.slice(0, Math.max(path.lastIndexOf("/"), 0)), new TextDecoder().decode(content));
    }
  }
}

function isWithin(path: string, within: string): boolean {
  return within === "" || path === within || path.startsWith(`${within}/`);
}

/** Their usual file systems do. */
function ignoresCase(platform: NodeJS.Platform): boolean {
  return platform === "darwin" || platform === "win32";
}
