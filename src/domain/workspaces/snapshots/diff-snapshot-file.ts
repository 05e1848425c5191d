import { createTwoFilesPatch } from "diff";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { isBinary } from "#src/domain/workspaces/files/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { SnapshotChange } from "./diff-snapshot.ts";
import { bytesOf, fileIn, openOwnSnapshot, type SnapshotDeps } from "./open-snapshot-file.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Larger files are only reported as different. */
const MAX_FILE_BYTES = 1024 * 1024;
/** So are files with more lines than this. */
const MAX_FILE_LINES = 100_000;
/** Most changed lines for which a diff is computed: the cost grows with their square. */
const MAX_CHANGED_LINES = 1_500;

/** A unified diff, or why there is none. */
type FileDiff = { text: string } | { omitted: "binary" | "too_large" };

/** One of the two states of a file; undefined if there is none, no bytes if they are too many. */
type State = { size: number; bytes: Uint8Array | undefined } | undefined;

/**
 * The difference of one file between a snapshot and now; `change` is undefined if the content is the same. Wakes a
 * sleeping project. Throws `not_found` for a snapshot of another project and for a path without a file in both, and
 * otherwise as `diffSnapshot` does.
 */
export async function diffSnapshotFile(
  deps: RuntimeDeps & SnapshotDeps,
  caller: Caller,
  input: { project: string; hash: string; path: string },
): Promise<{ change: SnapshotChange | undefined; diff: FileDiff }> {
  const { path } = input;
  const access = { caller, project: input.project, scope: "file.read" } as const;
  const { id, manifest } = await openOwnSnapshot(deps, caller, input);
  return withRuntime(deps, access, async (runtime) => {
    const file = fileIn(manifest, path);
    const now = await presentState(runtime, path);
    if (!file && !now) throw new AppError("not_found", "Neither the snapshot nor the project has this file");
    const before: State = file && {
      size: file.size,
      bytes:
        file.size > MAX_FILE_BYTES
          ? undefined
          : await gathered(bytesOf(deps.archives, id, manifest, file), file.size),
    };
    return { change: changeOf(path, before, now), diff: diffOf(path, before, now) };
  });
}

async function presentState(runtime: ProjectFiles, path: string): Promise<State> {
  if ((await runtime.stat(path))?.kind !== "file") return undefined;
  const found = await runtime.readStream(path);
  if (!found) return undefined;
  const { size } = found.entry;
  if (size <= MAX_FILE_BYTES) return { size, bytes: await gathered(found.body, size) };
  await found.body.cancel();
  return { size, bytes: undefined };
}

/** All bytes of a file; the length is known, and a file that changes meanwhile is cut to it. */
async function gathered(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of chunks) {
    whole.set(chunk.subarray(0, size - filled), filled);
    filled = Math.min(size, filled + chunk.byteLength);
  }
  return whole.subarray(0, filled);
}

function changeOf(path: string, before: State, now: State): SnapshotChange | undefined {
  const change = before ? (now ? "changed" : "deleted") : "added";
  const isCertain = change !== "changed" || before?.size !== now?.size || now?.bytes !== undefined;
  if (before?.bytes && now?.bytes && Buffer.compare(before.bytes, now.bytes) === 0) return undefined;
  return { path, change, size: now?.size ?? null, sizeBefore: before?.size ?? null, isCertain };
}

function diffOf(path: string, before: State, now: State): FileDiff {
  if ((before && !before.bytes) || (now && !now.bytes)) return { omitted: "too_large" };
  const [old, recent] = [before, now].map((state) => textOf(state?.bytes ?? new Uint8Array()));
  if (old === undefined || recent === undefined) return { omitted: "binary" };
  if (old === recent) return { text: "" };
  if (lineCount(old) > MAX_FILE_LINES || lineCount(recent) > MAX_FILE_LINES) return { omitted: "too_large" };
  const [oldName, newName] = [before ? `a/${path}` : "/dev/null", now ? `b/${path}` : "/dev/null"];
  const limit = before && now ? { maxEditLength: MAX_CHANGED_LINES } : {};
  const text = createTwoFilesPatch(oldName, newName, old, recent, undefined, undefined, {
    context: 3,
    ...limit,
  });
  return text === undefined ? { omitted: "too_large" } : { text };
}

/** Undefined for what is binary or not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  if (isBinary(bytes)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
