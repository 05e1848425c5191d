import type {
  BufferEncoding,
  CpOptions,
  FileContent,
  FsStat,
  IFileSystem,
  MkdirOptions,
  RmOptions,
} from "just-bash";
import { FileError } from "./file-error.ts";
import type { Entry } from "./file-tree.ts";
import { baseName } from "./paths.ts";
import { isFileError, type ProjectFiles } from "./project-files.ts";

/** Largest file a command may read or make: it is in memory several times over, and an isolate has 128 MB. */
const SHELL_FILE_BYTES = 16 * 1024 * 1024;

type Encoding = BufferEncoding | { encoding?: BufferEncoding | null };

/** The project's files as just-bash's commands see them: absolute paths below the mount point, POSIX error codes. */
export class ShellFileSystem implements IFileSystem {
  readonly #files: ProjectFiles;

  constructor(files: ProjectFiles) {
    this.#files = files;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encodingOf(options));
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#files.read(toProject(path), SHELL_FILE_BYTES);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = toBytes(content, options);
    if (bytes.length > SHELL_FILE_BYTES) throw new FileError("EFBIG", path);
    await this.#files.write(toProject(path), bytes);
  }

  appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    return this.#files.append(toProject(path), toBytes(content, options), SHELL_FILE_BYTES);
  }

  async exists(path: string): Promise<boolean> {
    try {
      return this.#find(path, { follow: true }) !== undefined;
    } catch (error) {
      if (isFileError(error)) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return toStat(this.#existing(path, { follow: true }));
  }

  async lstat(path: string): Promise<FsStat> {
    return toStat(this.#existing(path, { follow: false }));
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    this.#files.tree.makeDirectory(toProject(path), { parents: options?.recursive ?? false });
  }

  async readdir(path: string): Promise<string[]> {
    return this.#children(path).map((entry) => baseName(entry.path));
  }

  async readdirWithFileTypes(path: string) {
    return this.#children(path).map((entry) => ({ name: baseName(entry.path), ...kindFlags(entry) }));
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    try {
      await this.#files.remove(toProject(path), { recursive: options?.recursive ?? false });
    } catch (error) {
      if (!(options?.force && isFileError(error, "ENOENT", "ENOTDIR"))) throw error;
    }
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    if (!options?.recursive && this.#existing(from, { follow: false }).kind === "directory") {
      throw new FileError("EISDIR", from);
    }
    await this.#files.copy(toProject(from), toProject(to));
  }

  mv(from: string, to: string): Promise<void> {
    return this.#files.move(toProject(from), toProject(to), { replace: true });
  }

  resolvePath(base: string, path: string): string {
    return `/${this.#lexical(path.startsWith("/") ? path : `${base}/${path}`)}`;
  }

  getAllPaths(): string[] {
    return ["/", ...this.#files.tree.all().map(({ path }) => `/${path}`)];
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#files.tree.setMode(toProject(path), mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#files.tree.makeLink(target, toProject(path));
  }

  /** Files have one name here; a hard link is a copy. */
  async link(existing: string, path: string): Promise<void> {
    if (this.#find(path, { follow: false })) throw new FileError("EEXIST", path);
    if (this.#existing(existing, { follow: true }).kind === "directory")
      throw new FileError("EISDIR", existing);
    await this.#files.copy(this.#files.tree.resolve(toProject(existing), { follow: true }), toProject(path));
  }

  async readlink(path: string): Promise<string> {
    const { target } = this.#existing(path, { follow: false });
    if (target === null) throw new FileError("EINVAL", path);
    return target;
  }

  async realpath(path: string): Promise<string> {
    return `/${this.#existing(path, { follow: true }).path}`;
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    this.#files.tree.setModified(toProject(path), modified.getTime());
  }

  #find(path: string, options: { follow: boolean }): Entry | undefined {
    return this.#files.tree.find(toProject(path), options);
  }

  #existing(path: string, options: { follow: boolean }): Entry {
    const entry = this.#find(path, options);
    if (!entry) throw new FileError("ENOENT", path);
    return entry;
  }

  #children(path: string): Entry[] {
    return this.#files.tree.list(toProject(path), { recursive: false });
  }

  /** `.` and `..` taken away by the text alone; the root has no parent. */
  #lexical(path: string): string {
    const names: string[] = [];
    for (const name of path.split("/")) {
      if (name === "..") names.pop();
      else if (name !== "" && name !== ".") names.push(name);
    }
    return names.join("/");
  }
}

function toProject(path: string): string {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

function toBytes(content: FileContent, options?: Encoding): Uint8Array {
  return typeof content === "string" ? Buffer.from(content, encodingOf(options)) : content;
}

function encodingOf(options?: Encoding): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function toStat(entry: Entry): FsStat {
  const { mode, size, modifiedAt } = entry;
  return { ...kindFlags(entry), mode, size, mtime: new Date(modifiedAt) };
}

function kindFlags({ kind }: Entry) {
  return { isFile: kind === "file", isDirectory: kind === "directory", isSymbolicLink: kind === "symlink" };
}
