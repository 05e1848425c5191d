import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  type BigIntStats,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { requireVersion, type ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import type { FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { asFileFailure, codeOf, fileFailure } from "../file-failure.ts";
import { baseName, isTooLong, parentOf, type ProjectPaths } from "./project-paths.ts";
import { removeTree } from "./remove-tree.ts";
import { leaveTemporary, makeTemporary } from "./temporary.ts";
import { fileVersion, kindOf, modifiedAt, walk } from "./walk.ts";

/** Without O_NONBLOCK, opening a pipe without a writer blocks for ever. */
const OPEN_TO_READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const FILE_MODE = 0o644;

/**
 * The project's files, one by one. Paths are project-relative. Each decision and the following action are one
 * synchronous step, so no two calls interleave. Throws `AppError`s.
 */
export class ProjectFiles {
  readonly #paths: ProjectPaths;

  constructor(paths: ProjectPaths) {
    this.#paths = paths;
  }

  /** Returns the entry at a path; a link is an entry itself. */
  stat(path: string): FileEntry | undefined {
    return attempt(path, () => {
      const real = this.#resolve(path, { follow: false });
      const stats = real === undefined ? undefined : this.#stats(real);
      return stats && toEntry(path, stats);
    });
  }

  async list(
    path: string,
    { recursive, exclude }: { recursive: boolean; exclude: readonly string[] },
  ): Promise<FileEntry[]> {
    const real = attempt(path, () => {
      const directory = this.#paths.resolve(path, { follow: true });
      const stats = this.#stats(directory);
      if (!stats) throw fileFailure("ENOENT", path);
      if (!stats.isDirectory()) throw fileFailure("ENOTDIR", path);
      return directory;
    });
    try {
      const found = await walk(this.#paths, real, { recursive, excluded: new Set(exclude) });
      // A listing through a link shows the link's path, as in any shell.
      return found.flatMap((each) => toEntry(rebase(each.path, real, path), each.stats) ?? []);
    } catch (error) {
      throw asFileFailure(error, path);
    }
  }

  /** Opens a file; its bytes stay readable if the name changes. `undefined` where there is no file. */
  open(path: string, limit = Infinity): { entry: FileEntry; body: Readable } | undefined {
    return attempt(path, () => {
      const real = this.#resolve(path, { follow: true });
      const file = real === undefined ? undefined : openFile(this.#paths.absolute(real));
      const entry = file && toEntry(path, file.stats);
      if (!file || !entry) return undefined;
      if (entry.size > limit) {
        closeSync(file.descriptor);
        throw fileFailure("EFBIG", path);
      }
      return { entry, body: contentOf(file.descriptor, entry.size) };
    });
  }

  /** Creates or replaces a file. It becomes visible when all of its content has arrived; its mode stays. */
  async write(
    path: string,
    content: AsyncIterable<Uint8Array>,
    limit: number,
    expected?: ExpectedVersion,
  ): Promise<FileEntry> {
    attempt(path, () => this.#checkWritable(path, expected));
    const place = attempt(path, () => makeTemporary(this.#paths));
    const made = join(place, "content");
    try {
      const file = await open(made, "wx", FILE_MODE);
      try {
        let size = 0;
        for await (const chunk of content) {
          size += chunk.byteLength;
          if (size > limit) throw fileFailure("EFBIG", path);
          await file.writeFile(chunk);
        }
        const before = this.#stats(this.#paths.resolve(path, { follow: true }));
        if (before?.isFile()) await file.chmod(Number(before.mode) & 0o7777);
      } finally {
        await file.close();
      }
      const real = this.#checkWritable(path, expected);
      mkdirSync(this.#paths.absolute(parentOf(real)), { recursive: true });
      renameSync(made, this.#paths.absolute(real));
      const entry = toEntry(path, lstatSync(this.#paths.absolute(real), { bigint: true }));
      if (!entry) throw fileFailure("ENOENT", path);
      return entry;
    } catch (error) {
      throw asFileFailure(error, path);
    } finally {
      await leaveTemporary(this.#paths, place);
    }
  }

  makeDirectory(path: string): void {
    attempt(path, () => {
      const real = this.#paths.resolve(path, { follow: true });
      if (isTooLong(real)) throw fileFailure("ENAMETOOLONG", path);
      const stats = this.#stats(real);
      if (stats && !stats.isDirectory()) throw fileFailure("ENOTDIR", path);
      mkdirSync(this.#paths.absolute(real), { recursive: true });
    });
  }

  move(from: string, to: string, expected?: ExpectedVersion): void {
    attempt(from, () => {
      this.#checkVersion(from, expected);
      const source = this.#paths.resolve(from, { follow: false });
      if (!this.#stats(source)) throw fileFailure("ENOENT", from);
      const target = this.#paths.resolve(to, { follow: false });
      if (target === source) return;
      if (isTooLong(target)) throw fileFailure("ENAMETOOLONG", to);
      if (source === "" || target === "" || target.startsWith(`${source}/`)) throw fileFailure("EINVAL", to);
      if (this.#stats(target)) throw fileFailure("EEXIST", to);
      mkdirSync(this.#paths.absolute(parentOf(target)), { recursive: true });
      renameSync(this.#paths.absolute(source), this.#paths.absolute(target));
    });
  }

  /** Removes the entry at a path: a link, not its target. */
  async remove(
    path: string,
    { recursive, expected }: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<void> {
    try {
      this.#checkVersion(path, expected);
      const real = this.#paths.resolve(path, { follow: false });
      if (real === "") throw fileFailure("EINVAL", path);
      const stats = this.#stats(real);
      if (!stats) throw fileFailure("ENOENT", path);
      const absolute = this.#paths.absolute(real);
      if (!stats.isDirectory()) unlinkSync(absolute);
      else if (recursive) await removeTree(absolute);
      else rmdirSync(absolute);
    } catch (error) {
      throw asFileFailure(error, path);
    }
  }

  /** Returns the directory in which a program starts, as programs see it. */
  directory(path: string): string {
    return attempt(path, () => {
      const real = this.#paths.resolve(path, { follow: true });
      if (!this.#stats(real)?.isDirectory()) throw fileFailure("ENOENT", path);
      return this.#paths.absolute(real);
    });
  }

  /** Same as `resolve`, but returns undefined where a file is in the place of a directory. */
  #resolve(path: string, options: { follow: boolean }): string | undefined {
    try {
      return this.#paths.resolve(path, options);
    } catch (error) {
      if (["not_found", "conflict"].includes(codeOf(error) ?? "")) return undefined;
      throw error;
    }
  }

  #stats(real: string) {
    return lstatSync(this.#paths.absolute(real), { bigint: true, throwIfNoEntry: false });
  }

  /** Refuses early a path that could not become a file later; otherwise returns the resolved path. */
  #checkWritable(path: string, expected: ExpectedVersion | undefined): string {
    const real = this.#paths.resolve(path, { follow: true });
    if (isTooLong(real)) throw fileFailure("ENAMETOOLONG", path);
    const stats = this.#stats(real);
    if (stats?.isDirectory()) throw fileFailure("EISDIR", path);
    if (stats && !stats.isFile()) throw fileFailure("EEXIST", path);
    this.#checkVersion(path, expected);
    return real;
  }

  /**
   * Throws `precondition_failed`; the same synchronous step must make the change. A program of the project that writes
   * between two system calls of this step is not noticed.
   */
  #checkVersion(path: string, expected: ExpectedVersion | undefined): void {
    if (expected === undefined) return;
    const real = this.#resolve(path, { follow: true });
    const stats = real === undefined ? undefined : this.#stats(real);
    requireVersion(path, stats?.isFile() ? fileVersion(stats) : undefined, expected);
  }
}

/** Opens a file for reading; `undefined` for anything but a file. */
export function openFile(absolute: string): { descriptor: number; stats: BigIntStats } | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(absolute, OPEN_TO_READ);
  } catch (error) {
    // A link without a target, or a socket.
    if (["ENOENT", "ENXIO", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
  const stats = fstatSync(descriptor, { bigint: true });
  if (stats.isFile()) return { descriptor, stats };
  closeSync(descriptor);
  return undefined;
}

/** Streams the first `size` bytes of an open file and then closes it; fewer if the file has become shorter. */
export function contentOf(descriptor: number, size: number): Readable {
  if (size > 0) return createReadStream("", { fd: descriptor, start: 0, end: size - 1 });
  closeSync(descriptor);
  return Readable.from([]);
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asFileFailure(error, path);
  }
}

function toEntry(path: string, stats: BigIntStats): FileEntry | undefined {
  const kind = kindOf(stats);
  if (!kind) return undefined;
  const size = kind === "file" ? Number(stats.size) : 0;
  const version = kind === "file" ? { version: fileVersion(stats) } : {};
  return { path, name: baseName(path), kind, size, modifiedAt: modifiedAt(stats), ...version };
}

/** Returns the same entry below another directory. */
function rebase(path: string, from: string, to: string): string {
  const below = from === "" ? path : path.slice(from.length + 1);
  return to === "" ? below : `${to}/${below}`;
}
