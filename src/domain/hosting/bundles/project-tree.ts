import { PROJECT_MOUNT } from "#src/shell/mount.ts";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";

/** As Linux follows links. */
const MAX_LINKS = 40;

/** A listing of a project's files in which paths can be looked up, also through links. */
export class ProjectTree {
  readonly entries: readonly InventoryEntry[];
  readonly #byPath: ReadonlyMap<string, InventoryEntry>;

  constructor(entries: readonly InventoryEntry[]) {
    this.entries = entries;
    this.#byPath = new Map(entries.map((entry) => [entry.path, entry]));
  }

  /**
   * Where a path leads when all links are followed; the root is the empty string. Undefined when nothing is there, and
   * when a link leads out of the project, even if it would lead back.
   */
  resolve(path: string): string | undefined {
    const done: string[] = [];
    const pending = path.split("/").toReversed();
    let links = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (done.pop() === undefined) return undefined;
        continue;
      }
      done.push(name);
      const entry = this.#byPath.get(done.join("/"));
      if (!entry || (entry.kind === "file" && pending.length > 0)) return undefined;
      if (entry.kind !== "symlink") continue;
      links += 1;
      const target = withinProject(entry.target);
      if (links > MAX_LINKS || target === undefined) return undefined;
      if (target.isAbsolute) done.length = 0;
      else done.pop();
      pending.push(...target.path.split("/").toReversed());
    }
    return done.join("/");
  }

  /** The entry at a path; the path is not followed through links. */
  at(path: string): InventoryEntry | undefined {
    return this.#byPath.get(path);
  }

  /** Whether a regular file is at the path, or at the end of the links there. */
  hasFile(path: string): boolean {
    const real = this.resolve(path);
    return real !== undefined && this.#byPath.get(real)?.kind === "file";
  }
}

/** The target of a link; undefined for an absolute one outside the project. */
function withinProject(target: string): { path: string; isAbsolute: boolean } | undefined {
  if (!target.startsWith("/")) return { path: target, isAbsolute: false };
  const isInside = target === PROJECT_MOUNT || target.startsWith(`${PROJECT_MOUNT}/`);
  return isInside ? { path: target.slice(PROJECT_MOUNT.length), isAbsolute: true } : undefined;
}
