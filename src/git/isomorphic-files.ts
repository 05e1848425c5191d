import { fileError, type GitFileStat, type GitFileSystem } from "./file-system.ts";

/** File type bits of a mode, as in stat(2). */
const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;

type Encoding = string | { encoding?: string } | undefined;

/**
 * Paths that isomorphic-git's `join` misreads: it treats `\` as `/`, and a drive such as `C:` at the root restarts the
 * path. Git skips such files as if they were ignored.
 */
const MISREAD_PATH = /\\|^[A-Za-z]:$/u;

/**
 * Adapts a project's files to the `node:fs` promises that isomorphic-git calls. Its paths lie below `directory`. Once
 * the signal is aborted, every call throws.
 */
export function isomorphicFiles(files: GitFileSystem, directory: string, signal: AbortSignal) {
  function relative(path: string): string {
    signal.throwIfAborted();
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    if (names.shift() !== directory.slice(1) || names.includes("..")) throw fileError("EACCES", path);
    return names.join("/");
  }

  const promises = {
    readFile: async (path: string, options?: Encoding): Promise<Uint8Array | string> => {
      const content = await files.readFile(relative(path));
      const encoding = typeof options === "string" ? options : options?.encoding;
      return encoding === "utf8" ? new TextDecoder().decode(content) : content;
    },
    writeFile: (path: string, content: Uint8Array | string, options?: { mode?: number } | string) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const mode = typeof options === "object" ? (options.mode ?? 0) : 0;
      return files.writeFile(relative(path), bytes, { executable: (mode & 0o100) !== 0 });
    },
    mkdir: async (path: string) => {
      const name = relative(path);
      // The root always exists.
      if (name === "") throw fileError("EEXIST", path);
      return files.mkdir(name);
    },
    rmdir: async (path: string) => files.rmdir(relative(path)),
    unlink: async (path: string) => files.unlink(relative(path)),
    lstat: async (path: string) => toStats(await files.lstat(relative(path))),
    stat: async (path: string) => toStats(await files.stat(relative(path))),
    readdir: async (path: string) => {
      const name = relative(path);
      const names = await files.readdir(name);
      return names.filter((child) => !MISREAD_PATH.test(name === "" ? child : `/${child}`));
    },
    readlink: async (path: string) => files.readlink(relative(path)),
    // A checkout replaces a link at the same path.
    symlink: async (target: string, path: string) => {
      const name = relative(path);
      const there = await files.lstat(name).catch(() => undefined);
      if (there && there.kind !== "directory") await files.unlink(name);
      return files.symlink(target, name);
    },
  };
  return { promises };
}

function toStats({ kind, size, executable, modifiedAt, changedAt, inode }: GitFileStat) {
  return {
    isFile: () => kind === "file",
    isDirectory: () => kind === "directory",
    isSymbolicLink: () => kind === "symlink",
    mode: TYPE_BITS[kind] | (executable || kind === "directory" ? 0o755 : 0o644),
    size,
    mtimeMs: modifiedAt,
    ctimeMs: changedAt,
    ino: inode,
    dev: 0,
    uid: 0,
    gid: 0,
  };
}
