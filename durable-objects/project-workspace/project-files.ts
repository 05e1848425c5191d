import { requireVersion, type ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import { FileError, type FileErrorCode } from "./file-error.ts";
import type { FileContents, StoredContent } from "./file-contents.ts";
import type { Entry, FileTree } from "./file-tree.ts";
import { Together } from "./together.ts";

/** Attempts of an append that collides with others before the writer gives up. */
const APPEND_ATTEMPTS = 10;

/** A project's files: the tree together with the bytes. Paths are relative to the project root. */
export class ProjectFiles {
  readonly tree: FileTree;
  readonly #contents: FileContents;
  readonly #together = new Together();

  constructor(tree: FileTree, contents: FileContents) {
    this.tree = tree;
    this.#contents = contents;
  }

  /** Returns the bytes of the file at a path. `ENOENT`, `EISDIR`; `EFBIG` above `limit` bytes. */
  async read(path: string, limit: number): Promise<Uint8Array> {
    const file = this.#file(path);
    if (file.size > limit) throw new FileError("EFBIG", path);
    return this.#contents.load(idOf(file));
  }

  async open(path: string): Promise<{ entry: Entry; body: ReadableStream<Uint8Array> }> {
    const file = this.#file(path);
    return { entry: { ...file, path }, body: await this.#contents.open(idOf(file)) };
  }

  /** Creates or replaces a file, with its directories. The whole content is stored before anything changes. */
  async write(path: string, bytes: Uint8Array, expected?: ExpectedVersion): Promise<Entry> {
    this.#checkWritable(path, expected);
    return this.#commit(path, await this.#contents.store(bytes), { expected });
  }

  /** Same as `write`, with a mode, and replacing a link instead of following it; for many files at once. */
  async replace(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    const content = await this.#contents.store(bytes);
    await this.#together.take(() => this.tree.putFile(path, content, { mode, follow: false }));
    await this.#contents.scheduleSweep();
  }

  async writeChunks(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    limit: number,
    expected?: ExpectedVersion,
  ): Promise<Entry> {
    this.#checkWritable(path, expected);
    return this.#commit(path, await this.#contents.storeChunks(path, chunks, limit), { expected });
  }

  /** Appends to a file. Concurrent appends are applied one after the other, also large ones. */
  async append(path: string, bytes: Uint8Array, limit: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const before = this.tree.find(path, { follow: true });
      if (before?.kind === "directory") throw new FileError("EISDIR", path);
      if ((before?.size ?? 0) + bytes.length > limit) throw new FileError("EFBIG", path);
      const old = before ? await this.#contents.load(idOf(before)) : new Uint8Array();
      const content = await this.#contents.store(concat(old, bytes));
      try {
        await this.#commit(path, content, { onlyOver: before?.contentId ?? null });
        return;
      } catch (error) {
        if (!isFileError(error, "EAGAIN") || attempt === APPEND_ATTEMPTS) throw error;
      }
    }
  }

  async move(
    from: string,
    to: string,
    options: { replace: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<void> {
    this.#checkVersion(from, options.expected);
    this.tree.move(from, to, options);
    await this.#contents.scheduleSweep();
  }

  copy(from: string, to: string): Promise<void> {
    this.tree.copy(from, to);
    return this.#contents.scheduleSweep();
  }

  async remove(
    path: string,
    options: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<void> {
    this.#checkVersion(path, options.expected);
    this.tree.remove(path, options);
    await this.#contents.scheduleSweep();
  }

  #file(path: string): Entry {
    const entry = this.tree.find(path, { follow: true });
    // A link without a target counts as missing.
    if (!entry || entry.kind === "symlink") throw new FileError("ENOENT", path);
    if (entry.kind === "directory") throw new FileError("EISDIR", path);
    return entry;
  }

  /** Refuses early what `#commit` would refuse once the bytes are there. */
  #checkWritable(path: string, expected: ExpectedVersion | undefined): void {
    this.tree.checkWritable(path);
    this.#checkVersion(path, expected);
  }

  /** Throws `precondition_failed`; the same synchronous step must make the change. */
  #checkVersion(path: string, expected: ExpectedVersion | undefined): void {
    if (expected === undefined) return;
    requireVersion(path, this.tree.find(path, { follow: true })?.contentId ?? undefined, expected);
  }

  async #commit(
    path: string,
    content: StoredContent,
    { expected, ...options }: Parameters<FileTree["putFile"]>[2] & { expected?: ExpectedVersion | undefined },
  ): Promise<Entry> {
    this.#checkVersion(path, expected);
    const entry = this.tree.putFile(path, content, options);
    await this.#contents.scheduleSweep();
    return { ...entry, path };
  }
}

export function isFileError(error: unknown, ...codes: FileErrorCode[]): boolean {
  return error instanceof FileError && (codes.length === 0 || codes.includes(error.code));
}

function idOf(file: Entry): string {
  if (file.contentId === null) throw new Error(`${file.path} has no content`);
  return file.contentId;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
