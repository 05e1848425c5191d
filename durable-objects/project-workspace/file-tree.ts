import { FileError } from "./file-error.ts";
import type { StoredContent } from "./file-contents.ts";
import { baseName, parentOf, withinProject } from "./paths.ts";

/** Longest name and path a project keeps, in UTF-8 bytes, as on common file systems. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;
const MAX_LINKS = 40;
/** Entries one listing may hold: about 20 MiB as an object call's answer, which carries at most 32. */
const MAX_LISTED = 100_000;

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;
const LINK_MODE = 0o777;

export interface Entry {
  path: string;
  kind: "file" | "directory" | "symlink";
  size: number;
  mode: number;
  modifiedAt: number;
  target: string | null;
  contentId: string | null;
}

const COLUMNS = `path, kind, size, mode, modified_at AS modifiedAt, target, content_id AS contentId`;
type EntryRow = Entry & Record<string, SqlStorageValue>;

/**
 * The project's directories, files and links. Every method is one synchronous step, so no two of them interleave. Paths
 * are relative to the project root, which is the empty string. Links are followed inside the project only: one that
 * leads out is an entry like any other until somebody goes through it, which is refused. Throws `FileError`.
 */
export class FileTree {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #now: () => number;
  readonly #isGone: () => boolean;

  constructor(deps: {
    storage: DurableObjectStorage;
    now: () => number;
    /** True once the project is deleted: nothing is taken in any more, also from who began before. */
    isGone: () => boolean;
  }) {
    this.#storage = deps.storage;
    this.#sql = deps.storage.sql;
    this.#now = deps.now;
    this.#isGone = deps.isGone;
  }

  /** The entry at a path; the link itself where the path ends in one and `follow` is not set. */
  find(path: string, options: { follow: boolean }): Entry | undefined {
    return this.#entry(this.resolve(path, options));
  }

  /** The entries below a directory, parents before children, by name. Directories in `exclude` are left out whole. */
  list(path: string, options: { recursive: boolean; exclude?: readonly string[] }): Entry[] {
    const real = this.resolve(path, { follow: true });
    const root = this.#entry(real);
    if (!root) throw new FileError("ENOENT", path);
    if (root.kind !== "directory") throw new FileError("ENOTDIR", path);
    const excluded = new Set(options.exclude);
    const listed: Entry[] = [];
    const visit = (directory: string) => {
      for (const entry of this.#children(directory)) {
        if (entry.kind === "directory" && excluded.has(baseName(entry.path))) continue;
        if (listed.length === MAX_LISTED) throw new FileError("EFBIG", path);
        // Whoever lists through a link sees the link's path, as in any shell.
        listed.push(real === path ? entry : { ...entry, path: rebase(entry.path, real, path) });
        if (options.recursive && entry.kind === "directory") visit(entry.path);
      }
    };
    visit(real);
    return listed;
  }

  /** Every path of the project, in no promised order. */
  allPaths(): string[] {
    return this.#sql
      .exec<{ path: string }>("SELECT path FROM entries")
      .toArray()
      .map(({ path }) => path);
  }

  /** A file's bytes, or `undefined` where they are in the bucket. */
  inlineContent(entry: Entry): Uint8Array<ArrayBuffer> | undefined {
    const row = this.#sql
      .exec<{ content: ArrayBuffer | null }>("SELECT content FROM entries WHERE path = ?", entry.path)
      .one();
    return row.content ? new Uint8Array(row.content) : undefined;
  }

  /** Refuse early what `putFile` would refuse once the bytes are there. */
  checkWritable(path: string): void {
    if (this.#isGone()) throw new FileError("ESTALE", path);
    const real = this.resolve(path, { follow: true });
    if (real === "" || this.#entry(real)?.kind === "directory") throw new FileError("EISDIR", path);
    checkLength(real);
    this.#checkDirectories(parentOf(real));
  }

  /**
   * Make a content the file at this path, through a link if there is one. With `onlyOver` the file must still have that
   * content (`null`: must still not exist), else `EAGAIN`.
   */
  putFile(path: string, content: StoredContent, options: { onlyOver?: string | null } = {}): Entry {
    return this.#storage.transactionSync(() => {
      const real = this.resolve(path, { follow: true });
      const before = this.#entry(real);
      if (real === "" || before?.kind === "directory") throw new FileError("EISDIR", path);
      if (options.onlyOver !== undefined && (before?.contentId ?? null) !== options.onlyOver) {
        throw new FileError("EAGAIN", path);
      }
      this.makeDirectory(parentOf(real), { parents: true });
      this.#insert({ path: real, kind: "file", mode: FILE_MODE, content });
      if (!content.inline) this.#sql.exec("DELETE FROM unreferenced WHERE content_id = ?", content.id);
      return this.#existing(real);
    });
  }

  makeDirectory(path: string, options: { parents: boolean }): void {
    const real = this.resolve(path, { follow: true });
    const there = this.#entry(real);
    if (there?.kind === "directory" && options.parents) return;
    if (there) throw new FileError(there.kind === "directory" ? "EEXIST" : "ENOTDIR", path);
    if (!options.parents && this.#entry(parentOf(real))?.kind !== "directory")
      throw new FileError("ENOENT", path);
    this.#checkDirectories(parentOf(real));
    const missing: string[] = [];
    for (let at = real; !this.#entry(at); at = parentOf(at)) missing.push(at);
    this.#storage.transactionSync(() => {
      for (const each of missing.toReversed())
        this.#insert({ path: each, kind: "directory", mode: DIRECTORY_MODE });
    });
  }

  makeLink(target: string, path: string): void {
    if (target === "" || target.length > MAX_PATH_BYTES) throw new FileError("EINVAL", path);
    const real = this.resolve(path, { follow: false });
    if (this.#entry(real)) throw new FileError("EEXIST", path);
    this.#storage.transactionSync(() => {
      this.makeDirectory(parentOf(real), { parents: true });
      this.#insert({ path: real, kind: "symlink", mode: LINK_MODE, target });
    });
  }

  /** Move an entry with all it holds. With `replace`, a file or an empty directory at the target gives way. */
  move(from: string, to: string, options: { replace: boolean }): void {
    this.#storage.transactionSync(() => {
      const source = this.#existing(this.resolve(from, { follow: false }), from);
      const target = this.resolve(to, { follow: false });
      if (target === source.path) return;
      if (source.path === "" || target === "" || isBelow(target, source.path))
        throw new FileError("EINVAL", to);
      const there = this.#entry(target);
      if (there) {
        if (!options.replace) throw new FileError("EEXIST", to);
        if (there.kind === "directory" && source.kind !== "directory") throw new FileError("EISDIR", to);
        if (there.kind !== "directory" && source.kind === "directory") throw new FileError("ENOTDIR", to);
        this.remove(target, { recursive: false });
      }
      this.makeDirectory(parentOf(target), { parents: true });
      // SQL counts characters, JavaScript UTF-16 units, so the prefix is measured in SQL.
      this.#sql.exec(
        `UPDATE entries SET
          path = ?2 || substr(path, length(?1) + 1),
          parent = CASE path WHEN ?1 THEN ?3 ELSE ?2 || substr(parent, length(?1) + 1) END
        WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')`,
        source.path,
        target,
        parentOf(target),
      );
      this.#checkLengthsBelow(target);
    });
  }

  /** Copy an entry with all it holds. Contents are shared, which costs nothing: they never change. */
  copy(from: string, to: string): void {
    this.#storage.transactionSync(() => {
      const source = this.#existing(this.resolve(from, { follow: false }), from);
      const target = this.resolve(to, { follow: source.kind === "file" });
      if (target === source.path || target === "" || isBelow(target, source.path))
        throw new FileError("EINVAL", to);
      const there = this.#entry(target);
      if (there && (there.kind === "directory") !== (source.kind === "directory")) {
        throw new FileError(there.kind === "directory" ? "EISDIR" : "ENOTDIR", to);
      }
      this.makeDirectory(parentOf(target), { parents: true });
      this.#sql.exec(
        `INSERT INTO entries (path, parent, kind, size, mode, modified_at, target, content_id, content)
        SELECT ?2 || substr(path, length(?1) + 1),
          CASE path WHEN ?1 THEN ?3 ELSE ?2 || substr(parent, length(?1) + 1) END,
          kind, size, mode, ?4, target, content_id, content
        FROM entries WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')
        ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, size = excluded.size, target = excluded.target,
          modified_at = excluded.modified_at, content_id = excluded.content_id, content = excluded.content
        WHERE entries.kind <> 'directory'`,
        source.path,
        target,
        parentOf(target),
        this.#now(),
      );
      this.#checkLengthsBelow(target);
    });
  }

  /** Remove the entry at a path: a link, not what it leads to. */
  remove(path: string, options: { recursive: boolean }): void {
    const entry = this.#existing(this.resolve(path, { follow: false }), path);
    if (entry.path === "") throw new FileError("EINVAL", path);
    if (!options.recursive && this.#children(entry.path).length > 0) throw new FileError("ENOTEMPTY", path);
    this.#sql.exec(
      "DELETE FROM entries WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')",
      entry.path,
    );
  }

  setMode(path: string, mode: number): void {
    const entry = this.#existing(this.resolve(path, { follow: true }), path);
    this.#sql.exec("UPDATE entries SET mode = ? WHERE path = ?", mode & 0o7777, entry.path);
  }

  setModified(path: string, modifiedAt: number): void {
    const entry = this.#existing(this.resolve(path, { follow: true }), path);
    this.#sql.exec("UPDATE entries SET modified_at = ? WHERE path = ?", Math.trunc(modifiedAt), entry.path);
  }

  /**
   * The path with its links followed: those on the way always, the last one with `follow`. What does not exist yet stays
   * as it is written. `EACCES` where a link leads out of the project.
   */
  resolve(path: string, options: { follow: boolean }): string {
    const direct = this.#entry(path);
    if (direct && !(direct.kind === "symlink" && options.follow)) return path;
    const pending = path.split("/");
    const walked: string[] = [];
    let links = 0;
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (walked.pop() === undefined) throw new FileError("EACCES", path);
        continue;
      }
      walked.push(name);
      const entry = this.#entry(walked.join("/"));
      if (entry?.kind === "file" && pending.length > 0) throw new FileError("ENOTDIR", path);
      if (entry?.kind !== "symlink" || (pending.length === 0 && !options.follow)) continue;
      links += 1;
      if (links > MAX_LINKS) throw new FileError("ELOOP", path);
      const target = entry.target ?? "";
      walked.pop();
      if (target.startsWith("/")) {
        const inside = withinProject(target);
        if (inside === undefined) throw new FileError("EACCES", path);
        walked.length = 0;
        pending.unshift(...inside.split("/"));
      } else pending.unshift(...target.split("/"));
    }
    return walked.join("/");
  }

  #entry(path: string): Entry | undefined {
    if (path === "") {
      return {
        path,
        kind: "directory",
        size: 0,
        mode: DIRECTORY_MODE,
        modifiedAt: 0,
        target: null,
        contentId: null,
      };
    }
    return this.#sql.exec<EntryRow>(`SELECT ${COLUMNS} FROM entries WHERE path = ?`, path).toArray()[0];
  }

  #existing(path: string, named = path): Entry {
    const entry = this.#entry(path);
    if (!entry) throw new FileError("ENOENT", named);
    return entry;
  }

  #children(directory: string): Entry[] {
    return this.#sql
      .exec<EntryRow>(`SELECT ${COLUMNS} FROM entries WHERE parent = ? ORDER BY path`, directory)
      .toArray();
  }

  #checkLengthsBelow(path: string): void {
    const tooLong = this.#sql.exec(
      `SELECT 1 FROM entries WHERE (path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')) AND octet_length(path) > ?2
      LIMIT 1`,
      path,
      MAX_PATH_BYTES,
    );
    if (tooLong.toArray().length > 0 || byteLength(baseName(path)) > MAX_NAME_BYTES) {
      throw new FileError("ENAMETOOLONG", path);
    }
  }

  /** Whatever of these directories exists must be a directory. */
  #checkDirectories(path: string): void {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const entry = this.#entry(at);
      if (entry && entry.kind !== "directory") throw new FileError("ENOTDIR", at);
    }
  }

  #insert(entry: {
    path: string;
    kind: Entry["kind"];
    mode: number;
    target?: string;
    content?: StoredContent;
  }): void {
    const { path, kind, mode, target, content } = entry;
    if (this.#isGone()) throw new FileError("ESTALE", path);
    checkLength(path);
    this.#sql.exec(
      `INSERT INTO entries (path, parent, kind, size, mode, modified_at, target, content_id, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified_at = excluded.modified_at,
        content_id = excluded.content_id, content = excluded.content`,
      path,
      parentOf(path),
      kind,
      content?.size ?? 0,
      mode,
      this.#now(),
      target ?? null,
      content?.id ?? null,
      content?.inline ?? null,
    );
  }
}

function checkLength(path: string): void {
  const name = baseName(path);
  if (byteLength(name) > MAX_NAME_BYTES || byteLength(path) > MAX_PATH_BYTES || !path.isWellFormed()) {
    throw new FileError("ENAMETOOLONG", path);
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The same entry under another directory. */
function rebase(path: string, from: string, to: string): string {
  const below = from === "" ? path : path.slice(from.length + 1);
  return to === "" ? below : `${to}/${below}`;
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}
