import type { InMemoryFs } from "just-bash";
import type { ScratchEntry } from "./job.ts";

/** Restores the files outside the project that an earlier line left. */
export async function fillScratch(
  files: InMemoryFs,
  entries: readonly ScratchEntry[],
  bytes: Uint8Array,
): Promise<void> {
  let at = 0;
  for (const { path, kind, mode, target, size } of entries) {
    if (kind === "symlink") await files.symlink(target, path);
    else if (kind === "directory") await files.mkdir(path, { recursive: true });
    else await files.writeFile(path, bytes.slice(at, at + size));
    at += size;
    if (kind !== "symlink") await files.chmod(path, mode);
  }
}

/** Returns the files outside the project, without those that every shell starts with; parents before children. */
export async function takeScratch(
  files: InMemoryFs,
  given: ReadonlySet<string>,
): Promise<{ entries: ScratchEntry[]; bytes: Uint8Array }> {
  const entries: ScratchEntry[] = [];
  const contents: Uint8Array[] = [];
  const added = files.getAllPaths().filter((path) => !given.has(path));
  for (const path of added.toSorted()) {
    const { isSymbolicLink, isDirectory, mode } = await files.lstat(path);
    const kind = isSymbolicLink ? "symlink" : isDirectory ? "directory" : "file";
    const target = isSymbolicLink ? await files.readlink(path) : "";
    const content = kind === "file" ? await files.readFileBuffer(path) : new Uint8Array();
    entries.push({ path, kind, mode, target, size: content.length });
    contents.push(content);
  }
  return { entries, bytes: new Uint8Array(Buffer.concat(contents)) };
}
