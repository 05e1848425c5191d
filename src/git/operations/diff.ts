import { formatPatch, structuredPatch } from "diff";
import type { GitFileDiff, GitOperations } from "../protocol.ts";
import { pause, requireRepository, type Repository } from "../repository.ts";
import { changedPaths } from "./changed-paths.ts";

/** Longest text of all differences together, in characters. */
const MAX_DIFF = 1024 * 1024;
/** Larger files are only reported as different. */
const MAX_FILE_BYTES = 1024 * 1024;
/** So are files with more lines. */
const MAX_FILE_LINES = 100_000;
/**
 * Most changed lines of a file for which a diff is computed; the cost grows with the square, and in a Worker no clock
 * advances meanwhile. A new or deleted file is shown in any case.
 */
const MAX_CHANGED_LINES = 1_500;

/**
 * Returns the differences between the last commit and the files that git would commit, or between the two named states.
 */
export async function diff(
  repository: Repository,
  input: GitOperations["diff"]["input"],
): Promise<GitOperations["diff"]["output"]> {
  await requireRepository(repository);
  const files: GitFileDiff[] = [];
  let text = "";
  let truncated = false;
  for (const { path, before, after } of await changedPaths(repository, input)) {
    truncated ||= text.length > MAX_DIFF;
    if (truncated) {
      files.push({ path, additions: 0, deletions: 0 });
      continue;
    }
    // Reads may resolve without I/O, so yield to other work.
    await pause(repository);
    const one = compare(path, await before?.(), await after?.());
    files.push({ path, additions: one.additions, deletions: one.deletions });
    text += one.text;
  }
  if (text.length > MAX_DIFF) {
    truncated = true;
    text = text.slice(0, text.lastIndexOf("\n", MAX_DIFF) + 1);
  }
  return { diff: text, files, truncated };
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
          ...(before && after && { maxEditLength: MAX_CHANGED_LINES }),
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

const LINE_FEED = 10;

/** Undefined for a file that git considers binary, or that is too long. */
function toText(content: Uint8Array): string | undefined {
  if (content.byteLength > MAX_FILE_BYTES || content.subarray(0, 8_000).includes(0)) return undefined;
  const lines = content.reduce((sum, byte) => (byte === LINE_FEED ? sum + 1 : sum), 0);
  return lines > MAX_FILE_LINES ? undefined : new TextDecoder().decode(content);
}
