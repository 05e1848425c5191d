import type { GitOperations } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type {
  ExecOptions,
  ExecResult,
  FileEntry,
  AgentRuntime,
} from "#src/platform/runtime/project-runtime.ts";
import { requireVersion, type ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import type { ProjectGit } from "#src/platform/runtime/project-git.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";

type Exec = (command: string, options: ExecOptions) => ExecResult | Promise<ExecResult>;

type Git = ProjectGit["git"];

/** Projects whose runtimes use no port themselves. */
export const NO_RESERVED_PORTS = { runtime: () => ({ reservedPorts: [] }) };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A project's files in a map. Its shell and its git are functions of the test; without them every command is unknown, and
 * there is no repository.
 */
export class MemoryRuntime implements AgentRuntime {
  readonly #files = new Map<string, { content: Uint8Array; modifiedAt: number }>();
  readonly #directories = new Set<string>([""]);
  readonly #todos = new Map<string, string>();
  readonly #exec: Exec;
  readonly #git: Git | undefined;
  #clock = 0;
  /** Paths written, in order; a write of the same content counts as well. */
  readonly writes: string[] = [];
  readonly reservedPorts: readonly number[] = [];

  constructor(files: Record<string, string | Uint8Array> = {}, exec: Exec = unknownCommand, git?: Git) {
    this.#exec = exec;
    this.#git = git;
    for (const [path, content] of Object.entries(files)) {
      this.#put(path, typeof content === "string" ? encoder.encode(content) : content);
    }
  }

  /** A file as text, for assertions. */
  text(path: string): string | undefined {
    const file = this.#files.get(path);
    return file && decoder.decode(file.content);
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const file = this.#files.get(path);
    if (file) return entryOf(path, "file", file.content.length, file.modifiedAt);
    return this.#directories.has(path) ? entryOf(path, "directory", 0, 0) : undefined;
  }

  async list(
    path: string,
    { recursive, exclude = [] }: { recursive: boolean; exclude?: readonly string[] },
  ): Promise<FileEntry[]> {
    const below = path === "" ? "" : `${path}/`;
    const isExcluded = (each: string) =>
      each.split("/").some((name, depth, names) => {
        const directory = names.slice(0, depth + 1).join("/");
        return directory.length >= below.length && exclude.includes(name) && this.#directories.has(directory);
      });
    const paths = [...this.#files.keys(), ...this.#directories]
      .filter((each) => each !== "" && each.startsWith(below) && !isExcluded(each))
      .filter((each) => recursive || !each.slice(below.length).includes("/"))
      .toSorted((a, b) => (walkKey(a) < walkKey(b) ? -1 : 1));
    const entries = await Promise.all(paths.map((each) => this.stat(each)));
    return entries.filter((entry) => entry !== undefined);
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    return this.#files.get(path)?.content.slice();
  }

  async readEntries(paths: readonly string[]): Promise<AsyncIterable<EntryWithContent>> {
    return this.#entries(paths);
  }

  async *#entries(paths: readonly string[]): AsyncGenerator<EntryWithContent> {
    for (const path of paths) {
      const file = this.#files.get(path);
      if (!file) continue;
      const { content, modifiedAt } = file;
      const entry = {
        path,
        kind: "file" as const,
        size: content.length,
        mode: 0o644,
        modifiedAt,
        target: "",
      };
      yield { entry, content: streamOf(content) };
    }
  }

  async writeFile(path: string, content: Uint8Array, expected?: ExpectedVersion): Promise<FileEntry> {
    this.#requireVersion(path, expected);
    if (this.#directories.has(path)) throw new AppError("conflict", `${path} is a directory`);
    this.writes.push(path);
    return this.#put(path, content.slice());
  }

  async readStream(
    path: string,
  ): Promise<{ entry: FileEntry; body: ReadableStream<Uint8Array> } | undefined> {
    const entry = await this.stat(path);
    const content = await this.readFile(path);
    return entry && content && { entry, body: streamOf(content) };
  }

  async writeStream(
    path: string,
    body: ReadableStream<Uint8Array>,
    limit: number,
    expected?: ExpectedVersion,
  ): Promise<FileEntry> {
    const content = await new Response(body).bytes();
    if (content.length > limit) throw new AppError("too_large", `The file is larger than ${limit} bytes`);
    return this.writeFile(path, content, expected);
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#files.has(path)) throw new AppError("conflict", `${path} is a file`);
    this.#directories.add(path);
    this.#makeParents(path);
  }

  async rename(from: string, to: string, expected?: ExpectedVersion): Promise<void> {
    this.#requireVersion(from, expected);
    if (this.#files.has(to) || this.#directories.has(to))
      throw new AppError("conflict", `${to} is there already`);
    const moved = this.#atOrBelow(from);
    if (moved.length === 0) throw new AppError("not_found", `There is nothing at ${from}`);
    for (const path of moved) {
      const target = to + path.slice(from.length);
      const file = this.#files.get(path);
      if (file) this.#files.set(target, file);
      else this.#directories.add(target);
      this.#forget(path);
    }
    this.#makeParents(to);
  }

  async remove(
    path: string,
    { recursive, expected }: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<void> {
    this.#requireVersion(path, expected);
    const removed = this.#atOrBelow(path);
    if (removed.length === 0) throw new AppError("not_found", `There is nothing at ${path}`);
    if (removed.length > 1 && !recursive) throw new AppError("conflict", `${path} is not empty`);
    for (const each of removed) this.#forget(each);
  }

  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    return this.#exec(command, options);
  }

  async git<Name extends keyof GitOperations>(
    name: Name,
    input: GitOperations[Name]["input"],
  ): Promise<GitOperations[Name]["output"]> {
    if (!this.#git) throw new AppError("not_found", "The project has no git repository");
    return this.#git(name, input);
  }

  async readTodos(chatId: string): Promise<string | undefined> {
    return this.#todos.get(chatId);
  }

  async writeTodos(chatId: string, todos: string): Promise<void> {
    this.#todos.set(chatId, todos);
  }

  #requireVersion(path: string, expected: ExpectedVersion | undefined): void {
    const file = this.#files.get(path);
    requireVersion(path, file && String(file.modifiedAt), expected);
  }

  #put(path: string, content: Uint8Array): FileEntry {
    this.#clock += 1;
    this.#files.set(path, { content, modifiedAt: this.#clock });
    this.#makeParents(path);
    return entryOf(path, "file", content.length, this.#clock);
  }

  #makeParents(path: string): void {
    const segments = path.split("/");
    for (let depth = 1; depth < segments.length; depth += 1) {
      this.#directories.add(segments.slice(0, depth).join("/"));
    }
  }

  #atOrBelow(path: string): string[] {
    return [...this.#files.keys(), ...this.#directories].filter(
      (each) => each === path || each.startsWith(`${path}/`),
    );
  }

  #forget(path: string): void {
    this.#files.delete(path);
    this.#directories.delete(path);
  }
}

function entryOf(path: string, kind: FileEntry["kind"], size: number, modifiedAt: number): FileEntry {
  const version = kind === "file" ? { version: String(modifiedAt) } : {};
  return { path, name: path.slice(path.lastIndexOf("/") + 1), kind, size, modifiedAt, ...version };
}

/** Sorts paths as a walk meets them: what is in a directory right behind it. */
function walkKey(path: string): string {
  return path.replaceAll("/", "\0");
}

function streamOf(content: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([content.slice()]).stream();
}

function unknownCommand(command: string): ExecResult {
  return { stdout: "", stderr: `sh: ${command}: not found\n`, exitCode: 127, timedOut: false };
}
