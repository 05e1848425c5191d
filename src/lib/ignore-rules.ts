import { compileGlob, type PathMatcher } from "./glob-pattern.ts";

/** Most rules read from one file. */
const MAX_RULES = 1_000;
/** Most steps (pattern length times path length) for the rules of one path: some tenths of a second. */
const MAX_STEPS = 20_000_000;

interface Rule {
  negated: boolean;
  directoriesOnly: boolean;
  /** Whether the rule matches the path relative to the directory of its file; otherwise it matches the name alone. */
  anchored: boolean;
  /** Length of the pattern in characters. */
  length: number;
  matches: PathMatcher;
}

/** The rules of `.gitignore` files and others of that form, as git reads them: https://git-scm.com/docs/gitignore */
export class IgnoreRules {
  readonly #byDirectory = new Map<string, readonly Rule[]>();
  #steps = 0;

  /** Returns the steps since the last call, at most. */
  takeSteps(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  /** Adds the rules of the file in this directory. */
  add(directory: string, text: string): void {
    const rules = text
      .split(/\r?\n/, MAX_RULES)
      .map(toRule)
      .filter((rule) => rule !== undefined);
    if (rules.length > 0) this.#byDirectory.set(directory, rules);
  }

  /** Whether the path itself is ignored; the caller checks whether a directory above it is. */
  ignores(path: string, options: { isDirectory: boolean; until?: number }): boolean {
    return this.verdict(path, options) === "ignored";
  }

  /**
   * What the rules say of the path itself. The nearest file decides, and in it the last rule that matches. Undefined when no
   * rule matches, or the check takes too long.
   */
  verdict(
    path: string,
    { isDirectory, until = this.#steps + MAX_STEPS }: { isDirectory: boolean; until?: number },
  ): "ignored" | "kept" | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (let directory = parentOf(path); ; directory = parentOf(directory)) {
      const below = directory === "" ? path : path.slice(directory.length + 1);
      const rule = this.#byDirectory.get(directory)?.findLast((each) => {
        if (this.#steps > until || (each.directoriesOnly && !isDirectory)) return false;
        const subject = each.anchored ? below : name;
        this.#steps += each.length * subject.length;
        return this.#steps <= until && each.matches(subject);
      });
      if (rule) return rule.negated ? "kept" : "ignored";
      if (directory === "" || this.#steps > until) return undefined;
    }
  }

  /** Whether a directory or one above it is ignored. */
  hides(directory: string): boolean {
    const until = this.#steps + MAX_STEPS;
    for (let each = directory; each !== "" && this.#steps <= until; each = parentOf(each)) {
      if (this.ignores(each, { isDirectory: true, until })) return true;
    }
    return false;
  }
}

/** Returns the directories above a path, the root first. */
export function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let each = path; each !== ""; each = parentOf(each)) above.unshift(parentOf(each));
  return above;
}

/** Returns the names that a rules file ignores in every directory, such as `dist/`. */
export function plainNames(text: string): string[] {
  return text
    .split(/\r?\n/, MAX_RULES)
    .map((line) => line.trim().replace(/\/$/, ""))
    .filter((name) => name !== "" && !/[/*?[\]\\!#]/.test(name));
}

function toRule(line: string): Rule | undefined {
  const text = withoutBlanks(line);
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  const pattern = negated ? text.slice(1) : text;
  const directoriesOnly = pattern.endsWith("/");
  const path = directoriesOnly ? pattern.slice(0, -1) : pattern;
  const anchored = path.includes("/");
  try {
    const matches = compileGlob(path.replace(/^\//, ""), { braces: false });
    return { negated, directoriesOnly, anchored, length: path.length, matches };
  } catch {
    // An invalid pattern is skipped.
    return undefined;
  }
}

/** Trims trailing blanks unless a backslash escapes them. */
function withoutBlanks(line: string): string {
  const text = line.trimEnd();
  return text.endsWith("\\") ? line.slice(0, text.length + 1) : text;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
