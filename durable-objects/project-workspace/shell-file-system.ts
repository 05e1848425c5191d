import type { FileState, Listing } from "#src/shell/file-calls.ts";
import { FileError } from "./file-error.ts";
import type { Entry } from "./file-tree.ts";
import { baseName } from "./paths.ts";
import { isFileError, type ProjectFiles } from "./project-files.ts";

/** Largest file that a command may read or write: it is in memory several times, and an isolate has 128 MB. */
const SHELL_FILE_BYTES = 16 * 1024 * 1024;

/** The project's files for shells: absolute paths below the mount point, POSIX error codes. */
export class ShellFileSystem {
  readonly #files: ProjectFiles;

  constructor(files: ProjectFiles) {
    this.#files = files;
  }

  read(path: string): Promise<Uint8Array> {
    return this.#files.read(toProject(path), SHELL_FILE_BYTES);
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > SHELL_FILE_BYTES) throw new FileError("EFBIG", path);
    await this.#files.write(toProject(path), bytes);
  }

  append(path: string, bytes: Uint8Array): Promise<void> {
    return this.#files.append(toProject(path), bytes, SHELL_FILE_BYTES);
  }

  exists(path: string): boolean {
    try {
      return this.#find(path, { follow: true }) !== undefined;
    } catch (error) {
      if (isFileError(error)) return false;
      throw error;
    }
  }

  stat(path: string, options: { follow: boolean }): FileState {
    const { kind, mode, size, modifiedAt } = this.#existing(path, options);
    return { kind, mode, size, modifiedAt };
  }

  list(path: string): Listing {
    const entries = this.#files.tree.list(toProject(path), { recursive: false });
    return entries.map(({ path: each, kind }) => ({ name: baseName(each), kind }));
  }

  makeDirectory(path: string, { recursive }: { recursive: boolean }): void {
    this.#files.tree.makeDirectory(toProject(path), { parents: recursive });
  }

  async remove(path: string, { recursive, force }: { recursive: boolean; force: boolean }): Promise<void> {
    try {
      await this.#files.remove(toProject(path), { recursive });
    } catch (error) {
      if (!(force && isFileError(error, "ENOENT", "ENOTDIR"))) throw error;
    }
  }

  async copy(from: string, to: string, { recursive }: { recursive: boolean }): Promise<void> {
    if (!recursive && this.#existing(from, { follow: false }).kind === "directory") {
      throw new FileError("EISDIR", from);
    }
    await this.#files.copy(toProject(from), toProject(to));
  }

  move(from: string, to: string): Promise<void> {
    return this.#files.move(toProject(from), toProject(to), { replace: true });
  }

  setMode(path: string, mode: number): void {
    this.#files.tree.setMode(toProject(path), mode);
  }

  setModified(path: string, modifiedAt: number): void {
    this.#files.tree.setModified(toProject(path), modifiedAt);
  }

  makeLink(path: string, target: string): void {
    this.#files.tree.makeLink(target, toProject(path));
  }

  /** Hard links are not supported; the link is a copy. */
  async linkHard(existing: string, path: string): Promise<void> {
    if (this.#find(path, { follow: false })) throw new FileError("EEXIST", path);
    if (this.#existing(existing, { follow: true }).kind === "directory")
      throw new FileError("EISDIR", existing);
    await this.#files.copy(this.#files.tree.resolve(toProject(existing), { follow: true }), toProject(path));
  }

  readLink(path: string): string {
    const { target } = this.#existing(path, { follow: false });
    if (target === null) throw new FileError("EINVAL", path);
    return target;
  }

  resolve(path: string): string {
    return `/${this.#existing(path, { follow: true }).path}`;
  }

  #find(path: string, options: { follow: boolean }): Entry | undefined {
    return this.#files.tree.find(toProject(path), options);
  }

  #existing(path: string, options: { follow: boolean }): Entry {
    const entry = this.#find(path, options);
    if (!entry) throw new FileError("ENOENT", path);
    return entry;
  }
}

function toProject(path: string): string {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}
