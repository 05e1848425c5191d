import type { StoredEntry } from "#src/platform/runtime/project-storage.ts";
import type { StoredContent } from "./file-contents.ts";
import { FileError } from "./file-error.ts";
import {
  baseName,
  checkLength,
  isBelow,
  isPlain,
  MAX_PATH_BYTES,
  parentOf,
  rebase,
  withinProject,
} from "./paths.ts";
import type { FileGate } from "./storage-gate.ts";

const MAX_LINKS = 40;
/** Most entries of one listing: about 20 MiB as the result of an object call, which holds at most 32. */
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

const ROOT: Entry = {
  path: "",
  kind: "directory",
  size: 0,
  mode: DIRECTORY_MODE,
  modifiedAt: 0,
  target: null,
  contentId: null,
};

const COLUMNS = `path, kind, size, mode, modified_at AS modifiedAt, target, content_id AS contentId`;
type EntryRow = Entry & Record<string, SqlStorageValue>;

/**
 * The project's directories, files and links. Every method is one synchronous step, so no two of them interleave. Paths
 * are relative to the project root, which is the empty string. Links are followed inside the project only: a link that
 * leads out is an ordinary entry, but following it is refused. Throws `FileError`.
 */
export class FileTree {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #now: () => number;
  readonly #gate: FileGate;
  readonly #table: "entries" | "staged";

  constructor(deps: {
    storage: DurableObjectStorage;
    now: () => number;
    gate: FileGate;
    table: "entries" | "staged";
  }) {
    this.#storage = deps.storage;
    this.#sql = deps.storage.sql;
    this.#now = deps.now;
    this.#gate = deps.gate;
    this.#table = deps.table;
  }

  /** Returns the entry at a path; the link itself if the path ends in one and `follow` is not set. */
  find(path: string, options: { follow: boolean }): Entry | undefined {
    this.#gate.checkRead(path);
    return this.#locate(path, options).entry;
  }

  /**
   * Returns the entries below a directory, parents before children, by name. Directories in `exclude` are skipped with
   * their contents.
   */
  list(path: string, options: { recursive: boolean; exclude?: readonly string[] }): Entry[] {
    this.#gate.checkRead(path);
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
        // A listing through a link shows the link's path, as in any shell.
        listed.push(real === path ? entry : { ...entry, path: rebase(entry.path, real, path) });
        if (options.recursive && entry.kind === "directory") visit(entry.path);
      }
    };
    visit(real);
    return listed;
  }

  /** Returns every entry, parents before children. `EFBIG` above 100,000. */
  all(): Entry[] {
    this.#gate.checkRead("");
    const all = this.#sql
      .exec<EntryRow>(`SELECT ${COLUMNS} FROM ${this.#table} ORDER BY path LIMIT ?`, MAX_LISTED + 1)
      .toArray();
    if (all.length > MAX_LISTED) throw new FileError("EFBIG", "");
    return all;
  }

  /** Refuses early what `putFile` would refuse once the bytes are there. */
  checkWritable(path: string): void {
    this.#gate.checkChange(path);
    const real = this.resolve(path, { follow: true });
    if (real === "" || this.#entry(real)?.kind === "directory") throw new FileError("EISDIR", path);
    checkLength(real);
    this.#checkDirectories(parentOf(real));
  }

  /**
   * Makes a content the file at this path: through a link if there is one, or in place of the link without `follow`.
   * With `onlyOver` the file must still have that content (`null`: must still not exist), otherwise `EAGAIN`.
   */
  putFile(
    path: string,
    content: StoredContent,
    { onlyOver, follow = true, mode }: { onlyOver?: string | null; follow?: boolean; mode?: number } = {},
  ): Entry {
    this.#gate.checkChange(path);
    return this.#storage.transactionSync(() => {
      const { real, entry: before } = this.#locate(path, { follow });
      if (real === "" || before?.kind === "directory") throw new FileError("EISDIR", path);
      if (onlyOver !== undefined && (before?.contentId ?? null) !== onlyOver) {
        throw new FileError("EAGAIN", path);
      }
      if (!before) this.makeDirectory(parentOf(real), { parents: true });
      if (before?.kind === "symlink") this.remove(real, { recursive: false });
      this.#insert({ path: real, kind: "file", mode: mode ?? FILE_MODE, content });
      if (before && mode !== undefined) this.setMode(real, mode);
      return this.#existing(real);
    });
  }

  /** Adds an entry from another tree. `EINVAL` unless its path is plain, free, and in an existing directory. */
  addEntry(entry: StoredEntry, content: StoredContent | undefined): void {
    const { path, kind, mode, modifiedAt, target } = entry;
    this.#gate.checkChange(path);
    if (!isPlain(path) || this.#entry(path)) throw new FileError("EINVAL", path);
    if (this.#entry(parentOf(path))?.kind !== "directory") throw new FileError("EINVAL", path);
    if (kind === "symlink" && (target === "" || target.length > MAX_PATH_BYTES))
      throw new FileError("EINVAL", path);
    this.#storage.transactionSync(() => {
      this.#insert({
        path,
        kind,
        mode: mode & 0o7777,
        modifiedAt: Math.trunc(modifiedAt),
        content,
        ...(kind === "symlink" && { target }),
      });
    });
  }

  makeDirectory(path: string, options: { parents: boolean }): void {
    this.#gate.checkChange(path);
    const { real, entry: there } = this.#locate(path, { follow: true });
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
    this.#gate.checkChange(path);
    if (target === "" || target.length > MAX_PATH_BYTES) throw new FileError("EINVAL", path);
    const real = this.resolve(path, { follow: false });
    if (this.#entry(real)) throw new FileError("EEXIST", path);
    this.#storage.transactionSync(() => {
      this.makeDirectory(parentOf(real), { parents: true });
      this.#insert({ path: real, kind: "symlink", mode: LINK_MODE, target });
    });
  }

  /** Moves an entry with its contents. With `replace`, a file or an empty directory at the target is replaced. */
  move(from: string, to: string, options: { replace: boolean }): void {
    this.#gate.checkChange(to);
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
        `UPDATE ${this.#table} SET
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

  /** Copies an entry with its contents. Immutable contents are shared, so this is cheap. */
  copy(from: string, to: string): void {
    this.#gate.checkChange(to);
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
        `INSERT INTO ${this.#table} (path, parent, kind, size, mode, modified_at, target, content_id)
        SELECT ?2 || substr(path, length(?1) + 1),
          CASE path WHEN ?1 THEN ?3 ELSE ?2 || substr(parent, length(?1) + 1) END,
          kind, size, mode, ?4, target, content_id
        FROM ${this.#table} WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')
        ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, size = excluded.size, target = excluded.target,
          modified_at = excluded.modified_at, content_id = excluded.content_id
        WHERE ${this.#table}.kind <> 'directory'`,
        source.path,
        target,
        parentOf(target),
        this.#now(),
      );
      this.#checkLengthsBelow(target);
    });
  }

  /** Removes the entry at a path: a link, not its target. */
  remove(path: string, options: { recursive: boolean }): void {
    this.#gate.checkChange(path);
    const entry = this.#existing(this.resolve(path, { follow: false }), path);
    if (entry.path === "") throw new FileError("EINVAL", path);
    if (!options.recursive && this.#children(entry.path).length > 0) throw new FileError("ENOTEMPTY", path);
    this.#sql.exec(
      `DELETE FROM ${this.#table} WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')`,
      entry.path,
    );
  }

  setMode(path: string, mode: number): void {
    this.#gate.checkChange(path);
    const entry = this.#existing(this.resolve(path, { follow: true }), path);
    this.#sql.exec(`UPDATE ${this.#table} SET mode = ? WHERE path = ?`, mode & 0o7777, entry.path);
  }

  setModified(path: string, modifiedAt: number): void {
    this.#gate.checkChange(path);
    const entry = this.#existing(this.resolve(path, { follow: true }), path);
    this.#sql.exec(
      `UPDATE ${this.#table} SET modified_at = ? WHERE path = ?`,
      Math.trunc(modifiedAt),
      entry.path,
    );
  }

  /**
   * Returns the path with its links followed: links of parent directories always, the last one with `follow`. Parts
   * that do not exist yet stay as written. `EACCES` where a link leads out of the project.
   */
  resolve(path: string, options: { follow: boolean }): string {
    return this.#locate(path, options).real;
  }

  #locate(path: string, options: { follow: boolean }): { real: string; entry: Entry | undefined } {
    const direct = this.#entry(path);
    if (direct && !(direct.kind === "symlink" && options.follow)) return { real: path, entry: direct };
    // A new path in a stored directory has no links on its way. Git asks for thousands of files that do not exist.
    const isNew = !direct && isPlain(path) && this.#entry(parentOf(path))?.kind === "directory";
    if (isNew) return { real: path, entry: undefined };
    const walked = this.#walk(path, options);
    return { real: walked, entry: this.#entry(walked) };
  }

  #walk(path: string, options: { follow: boolean }): string {
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
    if (path === "") return ROOT;
    return this.#sql
      .exec<EntryRow>(`SELECT ${COLUMNS} FROM ${this.#table} WHERE path = ?`, path)
      .toArray()[0];
  }

  #existing(path: string, named = path): Entry {
    const entry = this.#entry(path);
    if (!entry) throw new FileError("ENOENT", named);
    return entry;
  }

  #children(directory: string): Entry[] {
    return this.#sql
      .exec<EntryRow>(`SELECT ${COLUMNS} FROM ${this.#table} WHERE parent = ? ORDER BY path`, directory)
      .toArray();
  }

  #checkLengthsBelow(path: string): void {
    const tooLong = this.#sql.exec(
      `SELECT 1 FROM ${this.#table} WHERE (path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')) AND octet_length(path) > ?2
      LIMIT 1`,
      path,
      MAX_PATH_BYTES,
    );
    if (tooLong.toArray().length > 0) throw new FileError("ENAMETOOLONG", path);
    checkLength(path);
  }

  /** Checks that those of these paths that exist are directories. */
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
    content?: StoredContent | undefined;
    modifiedAt?: number;
  }): void {
    const { path, kind, mode, target, content, modifiedAt = this.#now() } = entry;
    checkLength(path);
    this.#sql.exec(
      `INSERT INTO ${this.#table} (path, parent, kind, size, mode, modified_at, target, content_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified_at = excluded.modified_at,
        content_id = excluded.content_id`,
      path,
      parentOf(path),
      kind,
      content?.size ?? 0,
      mode,
      modifiedAt,
      target ?? null,
      content?.id ?? null,
    );
    if (!content) return;
    if (!content.inline) this.#sql.exec("DELETE FROM unreferenced WHERE content_id = ?", content.id);
    // After the entry: releasing its previous content may just have deleted these same bytes.
    else
      this.#sql.exec(
        "INSERT OR IGNORE INTO contents (content_id, bytes) VALUES (?, ?)",
        content.id,
        content.inline,
      );
  }
}
