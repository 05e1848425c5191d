import { constants } from "node:fs";
import fs from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileError, type GitFileStat, type GitFileSystem } from "#src/git/file-system.ts";
import { isTooLong } from "../files/project-paths.ts";

/** The tree below a directory, for git. A path that leads out of the directory through a link is `EACCES`. */
export async function nodeFiles(root: string): Promise<GitFileSystem> {
  const realRoot = await fs.realpath(root);

  /** Locates an entry: its parent with all links followed, and its own name. */
  async function locate(path: string): Promise<string> {
    if (path === "") return realRoot;
    const full = join(realRoot, path);
    return join(inside(await fs.realpath(dirname(full)), path), full.slice(dirname(full).length));
  }

  function inside(real: string, path: string): string {
    if (real !== realRoot && !real.startsWith(realRoot + sep)) throw fileError("EACCES", path);
    return real;
  }

  return {
    readFile: async (path) => {
      const place = inside(await fs.realpath(join(realRoot, path)), path);
      const file = await fs.open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        // A pipe or device would be read for ever.
        const stat = await file.stat();
        if (stat.isDirectory()) throw fileError("EISDIR", path);
        if (!stat.isFile()) throw fileError("EACCES", path);
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    writeFile: async (path, content, { executable }) => {
      const place = await locate(path);
      const there = await fs.lstat(place).catch(() => undefined);
      if (there?.isDirectory()) throw fileError("EISDIR", path);
      // A new file replaces the old one: a reader, or a crash, never sees half of it, and a link is not followed.
      const staged = join(realRoot, ".git", `${crypto.randomUUID()}.tmp`);
      try {
        await fs.writeFile(staged, content, { flag: "wx", mode: executable ? 0o755 : 0o644 });
        await fs.rename(staged, place);
      } catch (error) {
        await fs.rm(staged, { force: true });
        throw error;
      }
    },
    mkdir: async (path) => fs.mkdir(await locate(path)),
    rmdir: async (path) => fs.rmdir(await locate(path)),
    unlink: async (path) => fs.unlink(await locate(path)),
    lstat: async (path) => toStat(await fs.lstat(await locate(path))),
    stat: async (path) => toStat(await fs.lstat(inside(await fs.realpath(join(realRoot, path)), path))),
    readdir: async (path) => {
      const names = await fs.readdir(inside(await fs.realpath(join(realRoot, path)), path));
      // Paths that are too long for a snapshot are treated as ignored.
      return names.filter((name) => !isTooLong(join(path, name)));
    },
    readlink: async (path) => fs.readlink(await locate(path)),
    symlink: async (target, path) => fs.symlink(target, await locate(path)),
  };
}

function toStat(stat: Awaited<ReturnType<typeof fs.lstat>>): GitFileStat {
  return {
    kind: stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : "file",
    size: Number(stat.size),
    executable: (Number(stat.mode) & 0o100) !== 0,
    modifiedAt: Number(stat.mtimeMs),
    changedAt: Number(stat.ctimeMs),
    inode: Number(stat.ino),
  };
}
