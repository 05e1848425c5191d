import { compileGlob, type PathMatcher } from "./glob-pattern.ts";

/** Rules of one file that are read; more than people write. */
const MAX_RULES = 1_000;
/** Most steps, pattern times path, for which the rules of one path are looked at: some tenths of a second. */
const MAX_STEPS = 20_000_000;

interface Rule {
  negated: boolean;
  directoriesOnly: boolean;
  /** Whether it is about the path relative to the directory of the file that holds the rule; else about the name alone. */
  anchored: boolean;
  /** Characters of the pattern. */
  length: number;
  matches: PathMatcher;
}

/** What the `.gitignore` files of a project say, as git reads them: https://git-scm.com/docs/gitignore */
export class IgnoreRules {
  readonly #byDirectory = new Map<string, readonly Rule[]>();
  #steps = 0;

  /** Steps that were taken since this was read last, at most. */
  takeSteps(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

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
   * see. The nearest file decides, and in it the last rule that says anything. Not ignored where finding out takes too long.
   */
  ignores(
    path: string,
    { isDirectory, until = this.#steps + MAX_STEPS }: { isDirectory: boolean; until?: number },
  ): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (let directory = parentOf(path); ; directory = parentOf(directory)) {
      const below = directory === "" ? path : path.slice(directory.length + 1);
      const rule = this.#byDirectory.get(directory)?.findLast((each) => {
        if (this.#steps > until || (each.directoriesOnly && !isDirectory)) return false;
        const subject = each.anchored ? below : name;
        this.#steps += each.length * subject.length;
        return this.#steps <= until && each.matches(subject);
      });
      if (rule) return !rule.negated;
      if (directory === "" || this.#steps > until) return false;
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
    // A line that no tool could have meant.
    return undefined;
  }
}

/** Blanks at the end count only behind a backslash. */
function withoutBlanks(line: string): string {
  const text = line.trimEnd();
  return text.endsWith("\\") ? line.slice(0, text.length + 1) : text;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
