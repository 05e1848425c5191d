import ignore, { type Ignore } from "ignore";

/** Files with patterns of git's syntax; the later one of a folder counts more. */
export const IGNORE_FILES = [".gitignore", ".workspaceignore"] as const;

/** What is ignored without a rule: package managers make it again. `!node_modules` in an ignore file takes it back. */
const DEFAULT_RULES = "node_modules\n";

/** The rules of a folder's ignore files, and of those in the folders below it. */
export class IgnoreRules {
  readonly #rules = new Map<string, Ignore>([["", ignore().add(DEFAULT_RULES)]]);

  /** Adds the text of an ignore file in `folder`, which is relative; the root is the empty string. */
  add(folder: string, text: string): void {
    const rules = this.#rules.get(folder) ?? ignore();
    this.#rules.set(folder, rules.add(text));
  }

  /**
   * Whether a path is ignored: it, or a folder above it. The nearest ignore file with a rule for it decides, as in git.
   * A folder's path ends in a slash.
   */
  ignores(path: string): boolean {
    const names = path.split("/");
    const isFolder = path.endsWith("/");
    if (isFolder) names.pop();
    return names.some((_, index) => {
      const isLast = index === names.length - 1;
      return this.#ignoresOne(names.slice(0, index + 1), !isLast || isFolder);
    });
  }

  #ignoresOne(names: readonly string[], isFolder: boolean): boolean {
    for (let depth = names.length - 1; depth >= 0; depth -= 1) {
      const rules = this.#rules.get(names.slice(0, depth).join("/"));
      const below = names.slice(depth).join("/") + (isFolder ? "/" : "");
      const { ignored = false, unignored = false } = rules?.test(below) ?? {};
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
