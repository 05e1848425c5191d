import { compileGlob, type PathMatcher } from "./glob-pattern.ts";

/** Rules of one file that are read; more than people write. */
const MAX_RULES = 1_000;

interface Rule {
  negated: boolean;
  directoriesOnly: boolean;
  /** Of a path relative to the directory of the file that holds the rule. */
  matches: PathMatcher;
}

/** What the `.gitignore` files of a project say, as git reads them: https://git-scm.com/docs/gitignore */
export class IgnoreRules {
  readonly #byDirectory = new Map<string, readonly Rule[]>();

  /** The rules of the file in this directory. */
  add(directory: string, text: string): void {
    const rules = text
      .split(/\r?\n/, MAX_RULES)
      .map(toRule)
      .filter((rule) => rule !== undefined);
    if (rules.length > 0) this.#byDirectory.set(directory, rules);
  }

  /**
   * Whether a path itself is ignored; what lies in an ignored directory is ignored with it, and that is for the caller to
   * see. The nearest file decides, and in it the last rule that says anything.
   */
  ignores(path: string, { isDirectory }: { isDirectory: boolean }): boolean {
    for (let directory = parentOf(path); ; directory = parentOf(directory)) {
      const below = directory === "" ? path : path.slice(directory.length + 1);
      const rule = this.#byDirectory
        .get(directory)
        ?.findLast((each) => (isDirectory || !each.directoriesOnly) && each.matches(below));
      if (rule) return !rule.negated;
      if (directory === "") return false;
    }
  }

  /** Whether a directory or one above it is ignored. */
  hides(directory: string): boolean {
    for (let each = directory; each !== ""; each = parentOf(each)) {
      if (this.ignores(each, { isDirectory: true })) return true;
    }
    return false;
  }
}

/** The directories above a path, the root first. */
export function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let each = path; each !== ""; each = parentOf(each)) above.unshift(parentOf(each));
  return above;
}

/** Names that a file of rules ignores wherever they are, such as `dist/`. */
export function plainNames(text: string): string[] {
  return text
    .split(/\r?\n/, MAX_RULES)
    .map((line) => line.trim().replace(/\/$/, ""))
    .filter((name) => name !== "" && !/[/*?[\]\\!#]/.test(name));
}

function toRule(line: string): Rule | undefined {
  // Blanks at the end count only behind a backslash.
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  const pattern = negated ? text.slice(1) : text;
  const directoriesOnly = pattern.endsWith("/");
  const path = directoriesOnly ? pattern.slice(0, -1) : pattern;
  const anchored = path.includes("/");
  try {
    const matches = compileGlob(anchored ? path.replace(/^\//, "") : `**/${path}`, { braces: false });
    return { negated, directoriesOnly, matches };
  } catch {
    // A line that no tool could have meant.
    return undefined;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
