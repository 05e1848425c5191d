import { readlinkSync, type BigIntStats } from "node:fs";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import { codeOf } from "../file-failure.ts";
import type { ProjectPaths } from "../files/project-paths.ts";
import { fileVersion, modifiedAt, walk, type Kind } from "../files/walk.ts";

/**
 * Returns every entry of the project, parents before children. Entries that vanish meanwhile are left out, and so are
 * those whose path is too long: `tooLong` counts these, but not those below them.
 */
export async function inventory(
  paths: ProjectPaths,
): Promise<{ entries: InventoryEntry[]; tooLong: number }> {
  let tooLong = 0;
  const onTooLong = () => {
    tooLong += 1;
  };
  const found = await walk(paths, "", { recursive: true, excluded: new Set(), onTooLong });
  const entries = found.flatMap(({ path, kind, stats }) => {
    const stored = describe(paths, path, kind, stats);
    return stored ? { ...stored, fingerprint: kind === "file" ? fileVersion(stats) : stored.target } : [];
  });
  return { entries, tooLong };
}

/** Returns what is needed to restore an entry; `undefined` for a link that is gone. */
export function describe(paths: ProjectPaths, path: string, kind: Kind, stats: BigIntStats) {
  const target = kind === "symlink" ? linkTarget(paths.absolute(path)) : "";
  if (target === undefined) return undefined;
  return {
    path,
    kind,
    size: kind === "file" ? Number(stats.size) : 0,
    mode: Number(stats.mode) & 0o777,
    modifiedAt: modifiedAt(stats),
    target,
  };
}

function linkTarget(absolute: string): string | undefined {
  try {
    return readlinkSync(absolute);
  } catch (error) {
    if (["ENOENT", "EINVAL"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
