import type { GitFileStat, GitFileSystem } from "#src/git/file-system.ts";
import { FileError } from "./file-error.ts";
import type { Entry } from "./file-tree.ts";
import { baseName, parentOf } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";

/** Largest file, such as a pack, that git reads or writes: it is in memory several times, and an isolate has 128 MB. */
const GIT_FILE_BYTES = 32 * 1024 * 1024;
const EXECUTABLE = 0o755;
const PLAIN = 0o644;

/** The project's files for git. Failures carry `code` as in Node. */
export function gitFiles(files: ProjectFiles): GitFileSystem {
  const { tree } = files;
  const existing = (path: string, options: { follow: boolean }): Entry => {
    const entry = tree.find(path, options);
    if (!entry) throw new FileError("ENOENT", path);
    return entry;
  };

  return {
    readFile: (path) => files.read(path, GIT_FILE_BYTES),
    writeFile: async (path, content, { executable }) => {
      if (tree.find(parentOf(path), { follow: true })?.kind !== "directory")
        throw new FileError("ENOENT", path);
      await files.replace(path, content, executable ? EXECUTABLE : PLAIN);
    },
    mkdir: async (path) => {
      if (tree.find(path, { follow: false })) throw new FileError("EEXIST", path);
      tree.makeDirectory(path, { parents: false });
    },
    rmdir: async (path) => {
      if (existing(path, { follow: false }).kind !== "directory") throw new FileError("ENOTDIR", path);
      await files.remove(path, { recursive: false });
    },
    unlink: async (path) => {
      if (existing(path, { follow: false }).kind === "directory") throw new FileError("EISDIR", path);
      await files.remove(path, { recursive: false });
    },
    lstat: async (path) => toStat(existing(path, { follow: false })),
    stat: async (path) => toStat(existing(path, { follow: true })),
    readdir: async (path) => tree.list(path, { recursive: false }).map((entry) => baseName(entry.path)),
    readlink: async (path) => {
      const { target } = existing(path, { follow: false });
      if (target === null) throw new FileError("EINVAL", path);
      return target;
    },
    symlink: async (target, path) => tree.makeLink(target, path),
  };
}

function toStat({ kind, size, mode, modifiedAt, contentId }: Entry): GitFileStat {
  return {
    kind,
    size,
    executable: (mode & 0o100) !== 0,
    modifiedAt,
    changedAt: modifiedAt,
    // A changed content has another id, whose first eight characters are hexadecimal.
    inode: contentId === null ? 0 : Number.parseInt(contentId.slice(0, 8), 16),
  };
}
