import { formatPatch, structuredPatch } from "diff";
import * as git from "isomorphic-git";
import { checkPath } from "../names.ts";
import type { GitFileDiff, GitOperations } from "../protocol.ts";
import { requireRepository, resolve, type Repository } from "../repository.ts";
import { pathStates } from "./working-tree.ts";

/** Longest text of all differences together, in characters. */
const MAX_DIFF = 1024 * 1024;
/** Longer files are only said to differ. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Longest that the differences of one file are looked for, in milliseconds. */
const FILE_TIMEOUT_MS = 1_000;

/** What differs between the last commit and the files that git would commit. */
export async function diff(
  repository: Repository,
  { path }: GitOperations["diff"]["input"],
): Promise<GitOperations["diff"]["output"]> {
  await requireRepository(repository);
  const states = await pathStates(repository, path === undefined ? undefined : [checkPath(path)]);
  const changed = states.filter(({ inHead, file }) => (file === "absent" ? inHead : file === "changed"));
  const head = await resolve(repository, "HEAD");
  const files: GitFileDiff[] = [];
  let text = "";
  let truncated = false;
  for (const state of changed) {
    truncated ||= text.length > MAX_DIFF;
    if (truncated) {
      files.push({ path: state.path, additions: 0, deletions: 0 });
      continue;
    }
    const before =
      state.inHead && head !== undefined ? await readCommitted(repository, head, state.path) : undefined;
    const after = state.file === "absent" ? undefined : await readWorking(repository, state.path);
    const one = compare(state.path, before, after);
    files.push({ path: state.path, additions: one.additions, deletions: one.deletions });
    text += one.text;
  }
  if (text.length > MAX_DIFF) {
    truncated = true;
    text = text.slice(0, text.lastIndexOf("\n", MAX_DIFF) + 1);
  }
  return { diff: text, files, truncated };
}

async function readCommitted({ at }: Repository, oid: string, filepath: string): Promise<Uint8Array> {
  return (await git.readBlob({ ...at, oid, filepath })).blob;
}

async function readWorking({ files }: Repository, path: string): Promise<Uint8Array> {
  const { kind } = await files.lstat(path);
  if (kind === "symlink") return new TextEncoder().encode(await files.readlink(path));
  return files.readFile(path);
}

function compare(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): { text: string; additions: number; deletions: number } {
  const [oldName, newName] = [before ? `a/${path}` : "/dev/null", after ? `b/${path}` : "/dev/null"];
  const kind = before ? (after ? "" : "deleted file mode 100644\n") : "new file mode 100644\n";
  const header = `diff --git a/${path} b/${path}\n${kind}`;
  const [old, recent] = [before, after].map((content) => toText(content ?? new Uint8Array()));
  const patch =
    old === undefined || recent === undefined
      ? undefined
      : structuredPatch(oldName, newName, old, recent, undefined, undefined, {
          context: 3,
          timeout: FILE_TIMEOUT_MS,
        });
  if (!patch)
    return { text: `${header}Binary files ${oldName} and ${newName} differ\n`, additions: 0, deletions: 0 };
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    text:
      header +
      (patch.hunks.length > 0
        ? formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true })
        : ""),
    additions: lines.filter((line) => line.startsWith("+")).length,
    deletions: lines.filter((line) => line.startsWith("-")).length,
  };
}

/** Undefined for what git calls binary, and for what is too long. */
function toText(content: Uint8Array): string | undefined {
  if (content.byteLength > MAX_FILE_BYTES || content.subarray(0, 8_000).includes(0)) return undefined;
  return new TextDecoder().decode(content);
}
