import type {
  BufferEncoding,
  ByteString,
  CpOptions,
  FileContent,
  IFileSystem,
  MkdirOptions,
  RmOptions,
} from "just-bash";
import { z } from "zod";
import { FileState, Listing, type CallFiles, type FileCall } from "./file-calls.ts";

type Encoding = BufferEncoding | { encoding?: BufferEncoding | null };

/** A failure of the project's files. `failure` is its number on the files' side. */
export class RemoteFileError extends Error {
  override name = "RemoteFileError";
  readonly failure: number;
  readonly code: string | undefined;

  constructor({ failure, code, message }: { failure: number; code?: string | undefined; message: string }) {
    super(message);
    this.failure = failure;
    this.code = code;
  }
}

/** The project's files for just-bash's commands, wherever the files are. */
export class RemoteFileSystem implements IFileSystem {
  readonly #call: CallFiles;

  constructor(call: CallFiles) {
    this.#call = call;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encodingOf(options));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return (await this.#ask({ name: "read", path })).bytes ?? new Uint8Array();
  }

  /** Without this method, the shell would build the text character by character, at 37 bytes of memory each. */
  async readFileBytes(path: string): Promise<ByteString> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by its own definition: each character is one byte
    return (await this.readFile(path, "latin1")) as unknown as ByteString;
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#ask({ name: "write", path }, toBytes(content, options));
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#ask({ name: "append", path }, toBytes(content, options));
  }

  async exists(path: string): Promise<boolean> {
    return z.boolean().parse((await this.#ask({ name: "exists", path })).value);
  }

  stat(path: string) {
    return this.#stat(path, true);
  }

  lstat(path: string) {
    return this.#stat(path, false);
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    await this.#ask({ name: "makeDirectory", path, recursive: options?.recursive ?? false });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#list(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string) {
    return (await this.#list(path)).map(({ name, kind }) => ({ name, ...kindFlags(kind) }));
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    const { recursive = false, force = false } = options ?? {};
    await this.#ask({ name: "remove", path, recursive, force });
  }

  async cp(path: string, to: string, options?: CpOptions): Promise<void> {
    await this.#ask({ name: "copy", path, to, recursive: options?.recursive ?? false });
  }

  async mv(path: string, to: string): Promise<void> {
    await this.#ask({ name: "move", path, to });
  }

  resolvePath(base: string, path: string): string {
    return `/${lexical(path.startsWith("/") ? path : `${base}/${path}`)}`;
  }

  /** Always empty, because it is synchronous. The shell uses it only for patterns in quotes. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#ask({ name: "setMode", path, mode });
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#ask({ name: "makeLink", path, target });
  }

  async link(path: string, to: string): Promise<void> {
    await this.#ask({ name: "linkHard", path, to });
  }

  async readlink(path: string): Promise<string> {
    return z.string().parse((await this.#ask({ name: "readLink", path })).value);
  }

  async realpath(path: string): Promise<string> {
    return z.string().parse((await this.#ask({ name: "resolve", path })).value);
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    await this.#ask({ name: "setModified", path, modifiedAt: modified.getTime() });
  }

  async #stat(path: string, follow: boolean) {
    const { value } = await this.#ask({ name: "stat", path, follow });
    const { kind, mode, size, modifiedAt } = FileState.parse(value);
    return { ...kindFlags(kind), mode, size, mtime: new Date(modifiedAt) };
  }

  async #list(path: string): Promise<Listing> {
    return Listing.parse((await this.#ask({ name: "list", path })).value);
  }

  async #ask(call: FileCall, given?: Uint8Array): Promise<{ value: unknown; bytes: Uint8Array | undefined }> {
    const { answer, bytes } = await this.#call(call, given);
    if (!answer.ok) throw new RemoteFileError(answer);
    return { value: answer.value, bytes };
  }
}

/** Resolves `.` and `..` in the text alone; the parent of the root is the root. */
function lexical(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

function toBytes(content: FileContent, options?: Encoding): Uint8Array {
  return typeof content === "string" ? Buffer.from(content, encodingOf(options)) : content;
}

function encodingOf(options?: Encoding): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function kindFlags(kind: FileState["kind"]) {
  return { isFile: kind === "file", isDirectory: kind === "directory", isSymbolicLink: kind === "symlink" };
}
