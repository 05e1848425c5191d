import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { hasCode, isMissing } from "../session/private-file.ts";
import { isSameStamp, stampOf, statsOf, type Stamp } from "./local-tree.ts";
import { OWN_FOLDER, ownFolder } from "./record.ts";

/** Below the own folder, so that what a broken-off sync leaves is never synced. */
const COMING = "coming";

/** A file that cannot be written here, with the reason. */
export class LocalProblem extends Error {
  override name = "LocalProblem";
}

/** The files of a folder, for writing: nothing outside of it is touched, and no link is followed. */
export class LocalFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  absolute(file: string): string {
    return path.join(this.#root, ...file.split("/"));
  }

  /** Removes what an earlier sync left when it was ended. */
  async clean(): Promise<void> {
    await rm(path.join(this.#root, OWN_FOLDER, COMING), { recursive: true, force: true });
  }

  /**
   * Stores a content beside the files, and returns its place and SHA-256. Throws `LocalProblem` above `limit` bytes: the
   * disk is not filled by a service that sends more than it announced.
   */
  async receive(
    content: AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<{ temporary: string; hash: string }> {
    const folder = path.join(await ownFolder(this.#root), COMING);
    await mkdir(folder, { recursive: true });
    const temporary = path.join(folder, randomUUID());
    const hash = createHash("sha256");
    const handle = await open(temporary, "wx");
    try {
      let size = 0;
      for await (const chunk of content) {
        size += chunk.length;
        if (size > limit) throw new LocalProblem("it became larger while it was read; pull again");
        hash.update(chunk);
        await handle.write(chunk);
      }
    } catch (error) {
      await handle.close();
      await rm(temporary, { force: true });
      throw error;
    }
    await handle.close();
    return { temporary, hash: hash.digest("hex") };
  }

  /** Removes a received content that is not needed. */
  async discard(temporary: string): Promise<void> {
    await rm(temporary, { force: true });
  }

  /**
   * Puts a received content in place in one step, in place of the file with the stamp `before`, or of none. The mode of a
   * replaced file stays. Throws `LocalProblem` when something else is there by now.
   */
  async place(temporary: string, file: string, before: Stamp | undefined): Promise<Stamp> {
    try {
      await this.#makeFolders(file);
      const absolute = this.absolute(file);
      const found = await statsOf(absolute);
      requireUntouched(found && { ...stampOf(found), isFile: found.isFile() }, before);
      if (found) await chmod(temporary, found.mode & 0o777);
      await rename(temporary, absolute);
      const placed = await statsOf(absolute);
      if (!placed?.isFile()) throw new LocalProblem("changed here meanwhile");
      return stampOf(placed);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Deletes a file, and folders that are empty without it. */
  async delete(file: string, before: Stamp): Promise<void> {
    await this.#requireFolders(file);
    const absolute = this.absolute(file);
    const found = await statsOf(absolute);
    if (!found) return;
    requireUntouched({ ...stampOf(found), isFile: found.isFile() }, before);
    await rm(absolute);
    for (const folder of parentsOf(file).toReversed()) {
      try {
        await rmdir(this.absolute(folder));
      } catch {
        // It has other entries.
        return;
      }
    }
  }

  /** Makes the folders of a file, one by one, because `mkdir` with parents follows links. */
  async #makeFolders(file: string): Promise<void> {
    for (const folder of parentsOf(file)) {
      try {
        await mkdir(this.absolute(folder));
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
        await this.#requireFolder(folder);
      }
    }
  }

  async #requireFolders(file: string): Promise<void> {
    for (const folder of parentsOf(file)) await this.#requireFolder(folder);
  }

  async #requireFolder(folder: string): Promise<void> {
    const found = await statsOf(this.absolute(folder));
    if (found?.isSymbolicLink()) throw new LocalProblem(`${folder} is a link here`);
    if (found && !found.isDirectory()) throw new LocalProblem(`${folder} is not a folder here`);
  }
}

function requireUntouched(found: (Stamp & { isFile: boolean }) | undefined, before: Stamp | undefined): void {
  if (found && !found.isFile) throw new LocalProblem("something that is not a file is here");
  if (found && !before) throw new LocalProblem("made here meanwhile");
  if (found && before && !isSameStamp(found, before)) throw new LocalProblem("changed here meanwhile");
}

/** The folders above a file, the outermost first. */
function parentsOf(file: string): string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** A sentence for a failure of the file system. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof LocalProblem) return error.message;
  if (isMissing(error)) return "gone meanwhile";
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return code !== undefined && code in REASONS ? REASONS[code] : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "no permission here",
  EPERM: "no permission here",
  EISDIR: "a folder is here",
  ENOTDIR: "a file is in the place of its folder",
  ENOTEMPTY: "a folder is here",
  ENAMETOOLONG: "the name is too long here",
  EINVAL: "the file system does not take the name",
  EILSEQ: "the file system does not take the name",
  ELOOP: "a link is here",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  EXDEV: "its folder is on another disk",
};
